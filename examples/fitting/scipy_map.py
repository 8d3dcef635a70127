"""The most probable parameters of one subject with SciPy, from sonde.loglik.

sonde.fit does this for all subjects at once; here is how any optimiser of yours can.
"""
import numpy as np
from scipy import optimize

import sonde

model = sonde.Model(
    A=None, B=[np.stack([[[1, 1], [0, 0]], [[0, 0], [1, 1]]], axis=-1)], C=[[-1, 1]], D=[[.5, .5]],
    counts={"A": [np.ones((2, 2))]}, horizon=1, preferences="utility",
    factors=[{"name": "arm"}], modalities=[{"name": "reward", "outcomes": ["loss", "win"]}])
world = sonde.Model(A=[[[.2, .7], [.8, .3]]], B=model.B, C=model.C, D=model.D, horizon=1)

# an agent that we know, as if it were somebody's table
free = "gamma,eta_A"
data = sonde.draw(model, 300, free=free, theta=[[1.0, 0.5]], process=world, learn=True,
                  timing="after")

loglik = sonde.loglik(model, data, free, learn=True)
objective = loglik.subject(0, prior=True)

# one call evaluates the point and its neighbours: gradients by differences cost one batch
step = 1e-4 * np.concatenate([np.zeros((1, 2)), np.eye(2), -np.eye(2)])


def value_and_gradient(theta):
    f = -objective(theta + step)
    return f[0], (f[1:3] - f[3:5]) / 2e-4


found = optimize.minimize(value_and_gradient, loglik.parameters.start, jac=True, method="L-BFGS-B")
ours = sonde.fit(model, data, free, learn=True)
print("true       ", [1.0, 0.5])
print("SciPy      ", found.x, -found.fun)
print("sonde.fit  ", ours.map[0], "+-", ours.sd[0])
assert np.abs(found.x - ours.map[0]).max() < 1e-3
