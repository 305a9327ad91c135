"""Operators of networks that are built in memory."""

import warnings

import numpy as np
import pytest

from core.embedding.graphs import Graph


@pytest.mark.parametrize("zeros", [[], [0], [1, 2], [0, 1, 2]])
def test_products_in_8_bits_are_near_those_in_float_also_where_weights_are_zero(zeros: list[int]) -> None:
    random = np.random.default_rng(1)
    weight, bias, values = (random.normal(size=size).astype(np.float32) for size in [(4, 3), (3,), (1, 5, 4)])
    weight[:, zeros] = 0
    graph = Graph()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        output = graph.multiply("values", weight, bias)
    session = graph.open("tiny", {"values": (1, 5, 4)}, output, threads=1)
    (products,) = session.run({"values": values})
    assert np.abs(products - (values @ weight + bias)).max() < 0.1
    assert np.array_equal(products[..., zeros], np.broadcast_to(bias[zeros], (1, 5, len(zeros))))
