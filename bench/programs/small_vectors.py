import numpy as np
def norm(v): return np.sqrt((v*v).sum())
def cross(a,b): return np.array([a[1]*b[2]-a[2]*b[1], a[2]*b[0]-a[0]*b[2], a[0]*b[1]-a[1]*b[0]])
def ray(o,d,c,r):
    oc = o-c; b = (oc*d).sum(); q = (oc*oc).sum()-r*r; disc = b*b-q
    if disc < 0: return None
    return -b-np.sqrt(disc)
def main():
    o = np.zeros(3); c = np.array([0,0,5.]); n=0
    for i in range(100):
        for j in range(50):
            d = np.array([i/100-.5, j/50-.5, 1.0]); d = d/norm(d)
            t = ray(o,d,c,1.0)
            if t is not None: n += 1; x = cross(o+t*d, c)
    print(n, x)
main()
