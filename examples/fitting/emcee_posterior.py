"""Samples of one subject's posterior with emcee, from sonde.loglik, beside Laplace's approximation.

emcee (pip install emcee) asks for many sets at once: vectorize=True hands them on as one batch.
"""
import sys

import emcee
import numpy as np

import sonde

model = sonde.Model(
    A=None, B=[np.stack([[[1, 1], [0, 0]], [[0, 0], [1, 1]]], axis=-1)], C=[[-1, 1]], D=[[.5, .5]],
    counts={"A": [np.ones((2, 2))]}, horizon=1, preferences="utility",
    factors=[{"name": "arm"}], modalities=[{"name": "reward", "outcomes": ["loss", "win"]}])
world = sonde.Model(A=[[[.2, .7], [.8, .3]]], B=model.B, C=model.C, D=model.D, horizon=1)

free = "gamma,eta_A"
data = sonde.draw(model, 300, free=free, theta=[[1.0, 0.5]], process=world, learn=True,
                  timing="after")
loglik = sonde.loglik(model, data, free, learn=True)

n_round = int(sys.argv[1]) if len(sys.argv) > 1 else 1500
walkers = loglik.parameters.draw(16, seed=1)
sampler = emcee.EnsembleSampler(16, 2, loglik.subject(0, prior=True), vectorize=True)
sampler.run_mcmc(walkers, n_round)
samples = sampler.get_chain(discard=n_round // 3, flat=True)

laplace = sonde.fit(model, data, free, learn=True)
print("emcee    mean", samples.mean(axis=0), "sd", samples.std(axis=0))
print("Laplace  MAP ", laplace.map[0], "sd", laplace.sd[0])
assert np.abs(samples.mean(axis=0) - laplace.map[0]).max() < 1.5 * laplace.sd[0].max()
