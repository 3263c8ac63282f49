import numpy as np
def accel(pos, mass):
    d = pos[None,:,:] - pos[:,None,:]
    r2 = (d*d).sum(axis=2) + 0.01
    inv = mass[None,:] / (r2*np.sqrt(r2))
    return (d*inv[:,:,None]).sum(axis=1)
def step(pos, vel, mass, dt):
    a = accel(pos, mass)
    vel = vel + a*dt
    return pos + vel*dt, vel
rng = np.random.default_rng(0)
pos = rng.standard_normal((300,3)); vel = np.zeros((300,3)); mass = rng.uniform(1,2,300)
for i in range(100):
    pos, vel = step(pos, vel, mass, 0.001)
print(pos.sum(), vel.sum())
