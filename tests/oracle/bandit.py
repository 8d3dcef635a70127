"""A two-armed bandit, its agent and its fit, in NumPy and SciPy alone.

The agent has counts a[outcome, arm] of what arms give, and nothing else to believe: after an action
it knows on which arm it is. G of an arm is minus what it expects to like, and to learn,

    G(u) = -scale C . A[:, u] - n(u),    n = H(A) - psi(a0 + 1) + A . psi(a + 1),

its actions are drawn from softmax(-gamma G), and an outcome adds eta to its count. Nothing here is
shared with Sonde but the table that is written.
"""
import numpy as np
from scipy import optimize, special

C = np.array([-1.0, 1.0])
MEAN = np.array([0.7, 0.5, 0.0])  # of ln gamma, ln scale, logit eta
SD = np.array([0.5, 0.5, 1.0])


def values(theta):
    """gamma, scale and eta of rows of theta."""
    return np.exp(theta[..., 0]), np.exp(theta[..., 1]), special.expit(theta[..., 2])


def log_policy(counts, gamma, scale):
    """ln of the probabilities of both arms, of (..., outcome, arm) counts."""
    whole = counts.sum(axis=-2)
    A = counts / whole[..., None, :]
    entropy = -(A * np.log(A)).sum(axis=-2)
    expected = special.psi(whole + 1) - (A * special.psi(counts + 1)).sum(axis=-2)
    G = -scale[..., None] * (C[:, None] * A).sum(axis=-2) - (entropy - expected)
    return special.log_softmax(-gamma[..., None] * G, axis=-1)


def simulate(theta, n_trial, chance, reverse):
    """Arms and rewards (subject, trial): arm 0 wins in 80 %, arm 1 in 30, until `reverse`."""
    gamma, scale, eta = values(theta)
    n = len(theta)
    counts = np.ones((n, 2, 2))
    arms, rewards = np.zeros((n, n_trial), int), np.zeros((n, n_trial), int)
    for t in range(n_trial):
        p = np.exp(log_policy(counts, gamma, scale))
        arms[:, t] = chance.random(n) >= p[:, 0]
        wins = np.array([0.8, 0.3] if t < reverse else [0.3, 0.8])[arms[:, t]]
        rewards[:, t] = chance.random(n) < wins
        counts[np.arange(n), rewards[:, t], arms[:, t]] += eta
    return arms, rewards


def log_likelihood(theta, arms, rewards):
    """Of one subject, for rows of theta."""
    gamma, scale, eta = values(theta)
    counts = np.ones((len(theta), 2, 2))
    total = np.zeros(len(theta))
    for arm, reward in zip(arms, rewards):
        total += log_policy(counts, gamma, scale)[:, arm]
        counts[:, reward, arm] += eta
    return total


def log_posterior(theta, arms, rewards):
    z = (theta - MEAN) / SD
    return log_likelihood(theta, arms, rewards) - 0.5 * (z * z).sum(axis=-1)


def estimate(arms, rewards):
    """The MAP of one subject: L-BFGS with central differences, all in one batch."""
    step = 1e-4 * np.concatenate([np.zeros((1, 3)), np.diag(SD), -np.diag(SD)])

    def objective(theta):
        f = -log_posterior(theta + step, arms, rewards)
        return f[0], (f[1:4] - f[4:7]) / (2e-4 * SD)
    return optimize.minimize(objective, MEAN, jac=True, method="L-BFGS-B",
                             options={"ftol": 1e-13, "gtol": 1e-7}).x
