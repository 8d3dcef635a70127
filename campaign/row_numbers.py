"""Digits of the library's own logarithm, exponential and the rest, against 100-digit arithmetic."""
import math
import random
import subprocess

import rows

DIGITS = 100
# arguments of a batch, of each function
BATCH = 400


def ulp(x):
    """The distance of doubles near a number."""
    return math.ulp(float(x))


class Function:
    """One function: how arguments are drawn, what is true, and how far off it may be."""

    def __init__(self, draw, true, most, scale=None):
        # scale: what errors are measured in, by the true value; units in the last place unless said
        self.draw, self.true, self.most, self.scale = draw, true, most, scale or ulp


def spread(chance, least, most):
    """A number of any size between two, its logarithm being uniform."""
    return math.exp(chance.uniform(math.log(least), math.log(most)))


def near_one(chance):
    return 1.0 + chance.choice([-1, 1]) * spread(chance, 1e-16, 0.5)


def draw_log(chance):
    return [chance.choice([spread(chance, 2.3e-308, 1.7e308), chance.random() + 1e-300,
                           near_one(chance), 2.0 ** chance.randint(-1022, 1023)])]


def draw_exp(chance):
    # down to where results are normal numbers
    return [chance.choice([chance.uniform(-708.0, 709.7), chance.uniform(-1, 1),
                           chance.choice([-1, 1]) * spread(chance, 1e-300, 700.0)])]


def draw_pair(chance):
    a = chance.uniform(-700, 700)
    return [a, a + chance.choice([0.0, chance.uniform(-50, 50), spread(chance, 1e-15, 1.0)])]


def draw_count(chance):
    return [chance.choice([spread(chance, 1e-6, 1e9), chance.uniform(0.1, 20.0),
                           float(chance.randint(1, 1000))])]


def draw_sum(chance):
    gamma = spread(chance, 1e-3, 100.0)
    n = chance.choice([1, 2, 7, 8, 9, 100, chance.randint(1, 300)])
    x = [chance.uniform(0, 10) for _ in range(n)]
    return [gamma, min(x), *x]


def draw_logits(chance):
    return [chance.uniform(-30, 30) for _ in range(chance.randint(1, 50))]


def functions():
    import mpmath as mp
    mp.mp.dps = DIGITS

    def size(x):
        """Units in the last place of the larger of 1 and x: what headers promise there."""
        return math.ulp(max(1.0, abs(float(x))))

    def sum_exp(gamma, least, *x):
        return mp.fsum(mp.exp(-gamma * (each - least)) for each in x)

    def log_softmax(*x):
        return max(x[0] - mp.log(mp.fsum(mp.exp(each) for each in x)), mp.log(mp.mpf(1e-16)))

    return {
        # what the header promises of log and exp; what others promise is absolute below 1
        "log": Function(draw_log, mp.log, 1.5),
        "exp": Function(draw_exp, mp.exp, 1.5),
        "log_add": Function(draw_pair, lambda a, b: mp.log(mp.exp(a) + mp.exp(b)), 4, size),
        "digamma": Function(draw_count, mp.digamma, 18, size),
        "digamma_lead": Function(draw_count, lambda x: mp.digamma(x + 1) - mp.log(x), 18, size),
        "log_gamma": Function(draw_count, mp.loggamma, 36, size),
        # relative to themselves: the arguments are off by half a unit each, times gamma x
        "sum_exp": Function(draw_sum, sum_exp, 1100),
        "log_softmax": Function(draw_logits, log_softmax, 8, size),
    }


class Numbers(rows.Row):
    name = "numbers"
    what = "Digits of the library's own functions of numbers"
    how = ("log, exp, log-sum-exp, digamma, ln Γ, sums of weights (`src/base/numbers.h`) and the "
           "logarithm of softmax at random arguments of all sizes, against mpmath with 100 digits. "
           "The figures are the worst errors so far, in units in the last place: of the result "
           "itself with log, exp and sums, otherwise of the larger of 1 and the result. Beside "
           "them, on 6,000 of these arguments: glibc's log has 0.5, its exp 0.5, its lgamma 1.9, "
           "SciPy's psi 1.8. Ours are the same on every machine; ln Γ and digamma go up to large "
           "arguments step by step, and lose a few units on their way.")
    unit = "results"
    goal = 1_000_000
    unreached = ["Logarithms of subnormal numbers and exponentials whose result is one are outside "
                 "of what the functions promise."]

    def prepare(self):
        self.build = self.build or rows.build("gcc", "campaign_numbers")

    def ask(self, name, arguments):
        lines = "\n".join(" ".join([name, *(x.hex() for x in each)]) for each in arguments)
        done = subprocess.run([str(self.build / "campaign" / "numbers")], input=lines + "\n",
                              capture_output=True, text=True, check=True)
        return [float.fromhex(line) for line in done.stdout.split()]

    def batch(self, number, function, name, worst):
        """One batch of one function; sentences on what is off by too much."""
        import mpmath as mp
        chance = random.Random(f"{name} {number}")
        arguments = [function.draw(chance) for _ in range(BATCH)]
        for each, found in zip(arguments, self.ask(name, arguments)):
            true = function.true(*map(mp.mpf, each))
            off = float(abs(mp.mpf(found) - true) / function.scale(true))
            worst[name] = max(worst[name], off)
            if not off <= function.most:
                shown = ", ".join(x.hex() for x in each[:4])
                yield f"{name}({shown}) is {found.hex()}, off by {off:.3g} units"

    def step(self, start, seconds):
        import time
        end, number, count, wrong = time.monotonic() + seconds, start, 0, []
        every = functions()
        worst = dict.fromkeys(every, 0.0)
        while number == start or time.monotonic() < end:
            for name, function in every.items():
                wrong += self.batch(number, function, name, worst)
                count += BATCH
            number += 1
        return rows.Step(count, number, wrong,
                         figures={f"{name}, worst": off for name, off in worst.items()})
