"""Shortest distances against networkx, which somebody else wrote."""
# once
# long
import json
import os
import subprocess

import pytest

networkx = pytest.importorskip("networkx")

COMMAND = os.environ["SONDE_COMMAND"]
N_WORLD = 200


def description_of(n_node, seed, connect):
    """What the command says of one drawn world."""
    words = ["graph", "--nodes", n_node, "--seed", seed, "--connect", connect, "--json"]
    done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def graph_of(world):
    """The same world as networkx has it; self-edges are no part of a shortest path."""
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(world["nodes"]))
    graph.add_weighted_edges_from(world["edges"])
    return graph


@pytest.mark.parametrize("n_node", [3, 4])
def test_distances_are_those_of_networkx(n_node):
    n_by_turns = 0
    for seed in range(N_WORLD):
        connect = ("symmetric", "directed")[seed % 2]
        description = description_of(n_node, seed, connect)
        world = description["world"]
        graph = graph_of(world)
        start = world["start"][1]
        wanted = networkx.single_source_dijkstra_path_length(graph, start)
        assert description["distances"] == [wanted[node] for node in range(n_node)]
        assert description["shortest"] == wanted[world["destination"]]
        n_by_turns += graph.number_of_edges() != graph.to_undirected().number_of_edges() * 2
    # some worlds were one-way, so that the direction of the edges was seen
    assert n_by_turns > N_WORLD // 10


@pytest.mark.parametrize("connect", ["symmetric", "directed"])
def test_drawn_worlds_are_connected_as_networkx_sees_it(connect):
    for seed in range(40):
        graph = graph_of(description_of(12, seed, connect)["world"])
        assert networkx.is_strongly_connected(graph)


def test_a_larger_world_has_the_distances_of_networkx():
    description = description_of(3000, 1, "directed")
    world = description["world"]
    graph = graph_of(world)
    wanted = networkx.single_source_dijkstra_path_length(graph, world["start"][1])
    assert description["distances"] == [wanted[node] for node in range(3000)]
    assert networkx.is_strongly_connected(graph)
