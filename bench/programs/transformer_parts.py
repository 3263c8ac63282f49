import numpy as np
def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
def layernorm(x, g, b):
    m = x.mean(axis=-1, keepdims=True)
    v = ((x - m)**2).mean(axis=-1, keepdims=True)
    return (x - m) / np.sqrt(v + 1e-5) * g + b
def gelu(x):
    return 0.5*x*(1+np.tanh(0.7978845608*(x+0.044715*x**3)))
rng = np.random.default_rng(0)
x = rng.standard_normal((512, 768)).astype(np.float32)
g = np.ones(768, np.float32); b = np.zeros(768, np.float32)
for i in range(20):
    y = layernorm(x, g, b); y = gelu(y); z = softmax(y); x = x + z
print(x.sum(), z[0,:4])
