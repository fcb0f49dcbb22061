"""Registries: things found by their names, those of a notebook and of other packages too."""

import pickle

import pytest

from pairnet.core import registry
from pairnet.core.registry import Registry, UnknownName, is_final, name_of, summary


class Apple:
    """A fruit that grows on trees.

    It is round.
    """


class SweetPear:
    name = "Sweet_Pear"


def fruits():
    return Registry("fruit", Apple, SweetPear)


class Offer:
    """An entry point of another package."""

    def __init__(self, name, thing):
        self.name, self.thing, self.loaded = name, thing, 0

    def load(self):
        self.loaded += 1
        return self.thing


@pytest.fixture
def offered(monkeypatch):
    """What other packages offer, by the group of their entry points."""
    groups = {}
    monkeypatch.setattr(registry, "entry_points", lambda group: groups.get(group, []))
    return groups


def test_things_are_found_by_name_whatever_its_letters():
    assert fruits()["apple"] is fruits()["APPLE"] is Apple
    assert fruits()["sweet-pear"] is SweetPear
    assert list(fruits()) == ["apple", "sweet-pear"]
    assert len(fruits()) == 2
    assert Registry("fruit", golden_apple=Apple)["golden-apple"] is Apple


def test_an_unknown_name_lists_the_known_ones_and_the_nearest():
    with pytest.raises(UnknownName) as error:
        fruits()["aple"]
    assert str(error.value) == (
        "Unknown fruit 'aple'. Known: apple, sweet-pear. Did you mean 'apple'?"
    )
    assert isinstance(error.value, KeyError)
    assert isinstance(error.value, ValueError)
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)
    with pytest.raises(UnknownName, match=r"Unknown fruit 'xyz'\. Known: apple, sweet-pear\.$"):
        fruits()["xyz"]
    assert "aple" not in fruits()
    assert fruits().get("aple") is None


def test_a_thing_of_ones_own_is_registered_by_a_decorator():
    known = fruits()

    @known.register
    class Plum:
        pass

    assert known["plum"] is Plum
    assert "plum" not in fruits()


def test_a_thing_is_known_for_a_while_even_where_it_takes_the_place_of_another():
    known, other = fruits(), type("Apple", (), {})
    with known.having(other) as thing:
        assert thing is other
        assert known["apple"] is other
    assert known["apple"] is Apple
    with pytest.raises(RuntimeError), known.having(type("Plum", (), {})):
        raise RuntimeError
    assert "plum" not in known


def test_other_packages_offer_things_that_are_loaded_when_asked_for(offered):
    class Kiwi:
        pass

    kiwi, nail = Offer("Kiwi", Kiwi), Offer("nail", object())
    offered |= {"pairnet.fruit": [kiwi], "pairnet.tool": [nail]}
    known = fruits()
    assert list(known) == ["apple", "sweet-pear", "kiwi"]
    assert len(known) == 3
    assert kiwi.loaded == 0
    assert known["kiwi"] is known["KIWI"] is Kiwi
    assert kiwi.loaded == 1
    assert "nail" not in known
    with pytest.raises(UnknownName, match="Did you mean 'kiwi'"):
        known["kiwis"]


def test_ones_own_thing_comes_before_what_others_offer(offered):
    offered["pairnet.fruit"] = [Offer("apple", object())]
    known = fruits()
    assert known["apple"] is Apple
    assert list(known) == ["apple", "sweet-pear"]
    assert len(known) == 2


def test_a_room_registers_what_it_imports_and_can_be_made():
    import abc

    class Fruit(abc.ABC):
        @abc.abstractmethod
        def eat(self): ...

    class Citrus(Fruit):
        """Still to be eaten in some way."""

    class Lemon(Citrus):
        def eat(self):
            return "sour"

    names = {"Fruit": Fruit, "Citrus": Citrus, "Lemon": Lemon, "lemon": Lemon(), "str": str}
    assert dict(Registry.of("fruit", names, is_final(Fruit))) == {"lemon": Lemon}


def test_names_and_first_sentences():
    assert name_of(SweetPear) == "sweet-pear"
    assert name_of(fruits) == "fruits"
    assert summary(Apple) == "A fruit that grows on trees."
    assert summary(SweetPear) == ""
