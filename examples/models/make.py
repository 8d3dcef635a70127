#!/usr/bin/env python3
"""Writes the example models of this folder as sonde-model documents.

    python3 examples/models/make.py [FOLDER]

The same bytes every time; FOLDER is the folder of this file unless given. Each model has a page
of its own beside it. A is [outcome][state of each factor it depends on], B is
[next][previous][action], C is [outcome] and D is [state].
"""
import json
import math
import pathlib
import sys

import numpy as np

WIDTH = 100     # columns of the text
SHORT = 64      # a list that is no longer is never broken
SMALL = 32      # an array that is no larger is never sparse
MOVES = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}

# ---------------------------------------------------------------------------------- arrays --


def certain(size, index):
    """A distribution with everything on one of size states."""
    return np.eye(size)[index]


def uniform(size):
    """A distribution without any preference among size states."""
    return np.full(size, 1 / size)


def unchanging(size):
    """B of a factor that nobody controls and that stays what it is."""
    return np.eye(size)[:, :, None]


def function(n_outcome, outcome_of, *n_state):
    """A of a modality whose outcome is a function of the states."""
    array = np.zeros((n_outcome, *n_state))
    for state in np.ndindex(*n_state):
        array[(outcome_of(*state), *state)] = 1
    return array


def moves(n_action, next_of, n_state):
    """B of a factor whose next state is a function of the previous one and the action."""
    array = np.zeros((n_state, n_state, n_action))
    for state, action in np.ndindex(n_state, n_action):
        array[next_of(state, action), state, action] = 1
    return array


# ------------------------------------------------------------------------------------ text --


def number(value):
    """Whole numbers without a point; others with the fewest digits that read back the same."""
    return int(value) if float(value).is_integer() else float(value)


def nested(array):
    """An array as lists of lists of numbers."""
    return [nested(row) for row in array] if np.ndim(array) else number(array)


def written(array):
    """An array as a document has it: nested, or its entries if it is large and mostly zero."""
    array = np.asarray(array)
    if array.size <= SMALL or 2 * np.count_nonzero(array) >= array.size:
        return nested(array)
    entries = [[*map(int, index), number(array[tuple(index)])] for index in np.argwhere(array)]
    return {"shape": list(array.shape), "entries": entries}


def pieces(value):
    """JSON in pieces that stay on one line each; a short list is one piece."""
    text = json.dumps(value, ensure_ascii=False)
    if len(text) <= SHORT or not isinstance(value, (list, dict)):
        return [text]
    keyed = isinstance(value, dict)
    parts = []
    for child in value:
        inner = pieces(value[child] if keyed else child)
        inner[0] = f'"{child}": {inner[0]}' if keyed else inner[0]
        inner[-1] += ","
        parts += inner
    parts[0] = text[0] + parts[0]
    parts[-1] = parts[-1][:-1] + text[-1]
    return parts


def filled(value, margin):
    """JSON filled into lines that begin at a margin, except for the first."""
    lines = [""]
    for piece in pieces(value):
        if lines[-1] and margin + len(lines[-1]) + len(piece) >= WIDTH:
            lines.append("")
        lines[-1] += " " * bool(lines[-1]) + piece
    return ("\n" + " " * margin).join(lines)


def document(model):
    """The text of a document: a line for each key, and for each factor and modality."""
    parts = []
    for key, value in model.items():
        text = json.dumps(value, ensure_ascii=False)
        if len(key) + len(text) > WIDTH - 6:
            text = "[\n  " + ",\n  ".join(filled(row, 3) for row in value) + "]"
        parts.append(f'"{key}": {text}')
    return "{" + ",\n ".join(parts) + "}\n"


def model(name, factors, modalities, **keys):
    """A model from factors as {name: (states, actions, B, D)} and modalities as
    {name: (outcomes, factors, A, C)}; the rest of the keys as they are."""
    return {
        "format": "sonde-model", "version": 1, "name": name,
        "factors": [{"name": factor, "states": states, "actions": actions}
                    for factor, (states, actions, _, _) in factors.items()],
        "modalities": [{"name": modality, "outcomes": outcomes, "factors": seen}
                       for modality, (outcomes, seen, _, _) in modalities.items()],
        "A": [written(A) for _, _, A, _ in modalities.values()],
        "B": [written(B) for _, _, B, _ in factors.values()],
        "C": [written(C) for _, _, _, C in modalities.values()],
        "D": [written(D) for _, _, _, D in factors.values()],
        **keys,
    }


# ---------------------------------------------------------------------------------- T-maze --

T_MAZE_REWARD = 0.9    # how often the right arm pays and the wrong one punishes


def tmaze(name="T-maze", context=uniform(2)):
    """Cheese in one arm, a shock in the other, and a cue that tells which; arms keep the rat."""
    places = ["centre", "left arm", "right arm", "cue"]
    n_place, arms, cue = 4, (1, 2), 3

    reward = np.zeros((3, n_place, 2))
    reward[0, [0, cue], :] = 1
    for side, arm in enumerate(arms):
        reward[1, arm, side] = reward[2, arm, 1 - side] = T_MAZE_REWARD
        reward[2, arm, side] = reward[1, arm, 1 - side] = round(1 - T_MAZE_REWARD, 12)

    return model(
        name,
        {"place": (places, ["go to " + place for place in places],
                   moves(4, lambda place, action: place if place in arms else action, n_place),
                   certain(n_place, 0)),
         "context": (["cheese left", "cheese right"], ["wait"], unchanging(2), context)},
        {"place": (places, ["place"], np.eye(n_place), np.zeros(n_place)),
         "reward": (["nothing", "cheese", "shock"], ["place", "context"], reward, [0, 3, -3]),
         "cue": (["nothing", "says left", "says right"], ["place", "context"],
                 function(3, lambda place, side: side + 1 if place == cue else 0, n_place, 2),
                 np.zeros(3))},
        horizon=2, gamma=16)


# -------------------------------------------------------------------------------- the grid --

GRID_SLIP = 0.1     # a move does not happen
GRID_NOISE = 0.1    # a neighbouring place is seen instead


def cell_names(n_row, n_column):
    """Places of a grid, row by row; r0c0 is the upper left one."""
    return [f"r{row}c{column}" for row in range(n_row) for column in range(n_column)]


def cell_after(cell, move, n_row, n_column):
    """Where a move leads; the walls of the grid stop it."""
    row, column = divmod(cell, n_column)
    row, column = row + move[0], column + move[1]
    inside = 0 <= row < n_row and 0 <= column < n_column
    return row * n_column + column if inside else cell


def grid(size, horizon):
    """Find the far corner of a square while the feet slip and the eyes err by one place."""
    places = cell_names(size, size)
    n_place = size * size
    actions = {"stay": (0, 0), **MOVES}

    step = np.zeros((n_place, n_place, len(actions)))
    seen = np.zeros((n_place, n_place))
    for place in range(n_place):
        for action, move in enumerate(actions.values()):
            after = cell_after(place, move, size, size)
            step[place, place, action] += GRID_SLIP if after != place else 1
            step[after, place, action] += 1 - GRID_SLIP if after != place else 0
        beside = {cell_after(place, move, size, size) for move in MOVES.values()} - {place}
        seen[place, place] = 1 - GRID_NOISE
        seen[list(beside), place] = GRID_NOISE / len(beside)
    distance = [2 * (size - 1) - sum(divmod(place, size)) for place in range(n_place)]

    return model(
        f"grid world {size} by {size}",
        {"place": (places, list(actions), step, certain(n_place, 0))},
        {"sight": (places, ["place"], seen, -3 * np.array(distance))},
        horizon=horizon, gamma=1)


# ------------------------------------------------------------------------ epistemic chaining --

CHAINING_ROWS, CHAINING_COLUMNS = 5, 7
CHAINING_CUE_1 = "r2c0"
CHAINING_CUE_2 = {"L1": "r0c2", "L2": "r1c3", "L3": "r3c3", "L4": "r4c2"}
CHAINING_CHEESE = {"top": "r1c5", "bottom": "r3c5"}


def chaining(name="epistemic chaining", cue_2=None, cheese=None):
    """A cue that tells where to find the cue that tells where the cheese is."""
    places = cell_names(CHAINING_ROWS, CHAINING_COLUMNS)
    n_place, n_cue, n_cheese = len(places), len(CHAINING_CUE_2), len(CHAINING_CHEESE)
    at_cue_1 = places.index(CHAINING_CUE_1)
    at_cue_2 = [places.index(place) for place in CHAINING_CUE_2.values()]
    at_cheese = [places.index(place) for place in CHAINING_CHEESE.values()]

    def step(place, action):
        return cell_after(place, list(MOVES.values())[action], CHAINING_ROWS, CHAINING_COLUMNS)

    def first_cue(place, cue):
        return 1 + cue if place == at_cue_1 else 0

    def second_cue(place, cue, side):
        return 1 + side if place == at_cue_2[cue] else 0

    def reward(place, side):
        return 0 if place not in at_cheese else 1 if place == at_cheese[side] else 2

    def belief(names, name):
        return uniform(len(names)) if name is None else certain(len(names), [*names].index(name))

    return model(
        name,
        {"place": (places, list(MOVES), moves(len(MOVES), step, n_place), certain(n_place, 0)),
         "cue 2": ([f"at {cue}" for cue in CHAINING_CUE_2], ["wait"], unchanging(n_cue),
                   belief(CHAINING_CUE_2, cue_2)),
         "cheese": ([f"at the {side}" for side in CHAINING_CHEESE], ["wait"],
                    unchanging(n_cheese), belief(CHAINING_CHEESE, cheese))},
        {"place": (places, ["place"], np.eye(n_place), np.zeros(n_place)),
         "cue 1": (["nothing", *(f"says {cue}" for cue in CHAINING_CUE_2)], ["place", "cue 2"],
                   function(1 + n_cue, first_cue, n_place, n_cue), np.zeros(1 + n_cue)),
         "cue 2": (["nothing", *(f"says {side}" for side in CHAINING_CHEESE)],
                   ["place", "cue 2", "cheese"],
                   function(1 + n_cheese, second_cue, n_place, n_cue, n_cheese), np.zeros(3)),
         "reward": (["nothing", "cheese", "shock"], ["place", "cheese"],
                    function(3, reward, n_place, n_cheese), [0, 2, -4])},
        horizon=8, gamma=16)


# --------------------------------------------------------------------------------- weights --

WEIGHTS_NODES = ["home", "shop", "park", "lake", "office"]
WEIGHTS_ROADS = {("home", "shop"): 5, ("home", "park"): 10, ("home", "lake"): 5,
                 ("home", "office"): 20, ("shop", "park"): 5, ("shop", "office"): 5,
                 ("park", "office"): 5}
WEIGHTS_START = ("lake", "home")
WEIGHTS_DESTINATION = "office"
WEIGHTS_LAMBDA = 5
WEIGHTS_IDLE = 100
FLOOR = 1e-16       # the probability that counts as impossible


def roads():
    """Both directions of every road, by their first node; no self-edges."""
    both = {**WEIGHTS_ROADS, **{(b, a): weight for (a, b), weight in WEIGHTS_ROADS.items()}}
    pairs = [(a, b) for a in WEIGHTS_NODES for b in WEIGHTS_NODES if (a, b) in both]
    return {pair: both[pair] for pair in pairs}


def weights_graph():
    """The world of weights() as a sonde-graph document, for comparison."""
    return {
        "format": "sonde-graph", "version": 1, "nodes": len(WEIGHTS_NODES),
        "names": WEIGHTS_NODES, "edges": [[*pair, weight] for pair, weight in roads().items()],
        "start": list(WEIGHTS_START), "destination": WEIGHTS_DESTINATION,
        "horizon": len(WEIGHTS_NODES), "lambda": WEIGHTS_LAMBDA, "idle": WEIGHTS_IDLE}


def weights():
    """A graph world in which the weight of an edge is seen, and disliked, as an outcome."""
    weight_of = {}
    for node in WEIGHTS_NODES:
        weight_of |= {pair: weight for pair, weight in roads().items() if pair[0] == node}
        weight_of[node, node] = 0 if node == WEIGHTS_DESTINATION else WEIGHTS_IDLE
    edges = list(weight_of)
    levels = sorted(set(weight_of.values()))
    n_edge = len(edges)

    # an action is a pair of consecutive edges; taken from another edge, it means staying
    actions = [(x, y) for x in edges for y in edges if x[1] == y[0]]

    def step(edge, action):
        x, y = actions[action]
        here = edges[edge][1]
        return edges.index(y if edges[edge] == x else (here, here))

    arriving = [pair[1] == WEIGHTS_DESTINATION for pair in edges]
    wanted = np.where(arriving, -math.log(sum(arriving)), math.log(FLOOR))
    names = [">".join(pair) for pair in edges]
    return model(
        "graph world with observed weights",
        {"edge": (names, [">".join((*x, y[1])) for x, y in actions],
                  moves(len(actions), step, n_edge),
                  certain(n_edge, edges.index(WEIGHTS_START)))},
        {"edge": (names, ["edge"], np.eye(n_edge), wanted),
         "weight": ([f"weight {level}" for level in levels], ["edge"],
                    function(len(levels), lambda edge: levels.index(weight_of[edges[edge]]),
                             n_edge),
                    -WEIGHTS_LAMBDA * np.array(levels))},
        preferences="utility", horizon=len(WEIGHTS_NODES), policies="allowed",
        allowed=[[[">".join(x), ">".join((*x, y[1]))] for x, y in actions]])


# ---------------------------------------------------------------------------------- bandit --

BANDIT_WIN = 0.8    # how often the better arm wins, and the other one loses
BANDIT_HINT = 0.9   # how often the hint is right


def bandit(name="two-armed bandit", liking=(0, 2, -2), context=uniform(2), win=BANDIT_WIN,
           hint=BANDIT_HINT):
    """Two arms, one of which pays more often, and somebody to ask which."""
    choices = ["start", "ask", "left arm", "right arm"]
    n_choice, ask, arms = 4, 1, (2, 3)

    advice = np.zeros((3, n_choice, 2))
    reward = np.zeros((3, n_choice, 2))
    advice[0, [0, *arms], :] = 1
    reward[0, [0, ask], :] = 1
    for side, arm in enumerate(arms):
        advice[1 + side, ask, side] = hint
        advice[2 - side, ask, side] = round(1 - hint, 12)
        reward[1, arm, side] = reward[2, arm, 1 - side] = win
        reward[2, arm, side] = reward[1, arm, 1 - side] = round(1 - win, 12)

    return model(
        name,
        {"choice": (choices, choices, moves(4, lambda _, action: action, n_choice),
                    certain(n_choice, 0)),
         "context": (["left is better", "right is better"], ["wait"], unchanging(2), context)},
        {"choice": (choices, ["choice"], np.eye(n_choice), np.zeros(n_choice)),
         "reward": (["nothing", "win", "loss"], ["choice", "context"], reward, liking),
         "advice": (["nothing", "says left", "says right"], ["choice", "context"], advice,
                    np.zeros(3))},
        horizon=3, gamma=16)


# ------------------------------------------------------------------------------ deep reward --


def deep(length, n_action=7):
    """One path leads to the goal, one ends just before it would, and every other step is bad."""
    paths = {"path": length - 1, "dead end": length - 2}
    names = ["start", "goal", "bad"] + [f"{path} {i + 1}" for path, n in paths.items()
                                        for i in range(n)]
    start, goal, bad = 0, 1, 2

    def place(path, i):
        if i < paths[path]:
            return names.index(f"{path} {i + 1}")
        return goal if path == "path" else bad

    # which action goes on differs from place to place, without rhyme or reason
    after = {start: {action: place(path, 0) for action, path in zip((4, 2), paths)}}
    for number, (path, n) in enumerate(paths.items()):
        for i in range(n):
            after[place(path, i)] = {(5 * i * i + 3 * i + number) % n_action: place(path, i + 1)}

    def step(state, action):
        return goal if state == goal else after.get(state, {}).get(action, bad)

    liking = np.zeros(len(names))
    liking[goal], liking[bad] = 6, -6
    return model(
        f"deep reward {length}",
        {"place": (names, [f"door {action}" for action in range(n_action)],
                   moves(n_action, step, len(names)), certain(len(names), start))},
        {"place": (names, ["place"], np.eye(len(names)), liking)},
        horizon=length, gamma=1)


# ------------------------------------------------------------------------------------- all --

DOCUMENTS = {
    "tmaze.json": tmaze(),
    "tmaze-right.json": tmaze("T-maze, cheese right", certain(2, 1)),
    "grid.json": grid(7, 8),
    "grid5.json": grid(5, 6),
    "chaining.json": chaining(),
    "chaining-L3-bottom.json": chaining("epistemic chaining, L3, bottom", "L3", "bottom"),
    "chaining-L4-top.json": chaining("epistemic chaining, L4, top", "L4", "top"),
    "weights.json": weights(),
    "weights-graph.json": weights_graph(),
    "bandit.json": bandit(),
    "bandit-bold.json": bandit("two-armed bandit, bold", liking=(0, 3, 0)),
    "bandit-liar.json": bandit("two-armed bandit, lying hints", context=certain(2, 1), win=1,
                               hint=0),
    "deep.json": deep(30),
    "deep8.json": deep(8),
}


def main():
    if len(sys.argv) > 2:
        sys.exit("usage: make.py [FOLDER]")
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent
    for name, made in DOCUMENTS.items():
        (folder / name).write_text(document(made), encoding="utf-8")


if __name__ == "__main__":
    main()
