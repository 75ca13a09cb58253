"""A model file as a torch.nn.Module: read, asked, trained on, and written again."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch

from .. import safetensors
from .._errors import FormatError
from ..model import History
from ..model import Model as LibraryModel
from .laws import COMPOUND_LAWS, LAWS, cosine, names_of
from .network import Network, Relations
from .objective import Objective, forward, objective, scores
from .plan import AND, FALSE, NOT, OR, VARIABLE, Forest, make_plan, parse

NOT_READ = {"knowledge": "facts about items: train it without facts",
            "training": "the state of a training: use the model that this ends with"}  # metadata
DECAY = 0.9  # of a rule with the age of the like: src/models/item_rules.h
PRIOR = 3  # literals without a surprise that a user counts as having: src/models/model_answers.c


@dataclass
class Expressions:
    """Expressions as a model computes them, to be used again: as they are and, of a model with
    duals, as their duals after them."""

    forest: Forest
    n: int

    def __len__(self) -> int:
        return self.n


class Model(torch.nn.Module):
    """A model of `nln`, computed by PyTorch.

    >>> model = nln.torch.load("model.safetensors")
    >>> model.predict(["v1 & !v2"])
    tensor([0.0172])
    >>> loss = model.loss(expressions, labels); loss.backward()
    >>> model.save("trained-on.safetensors")

    `networks` are its networks, whose modules NOT, AND and OR, vectors and `activation` are yours to
    use and to change.
    """

    def __init__(self, file: safetensors.File, reader: LibraryModel) -> None:
        super().__init__()
        self.options, self.metadata = dict(file.options), dict(file.metadata)
        self._reader = reader  # for names, normal forms and histories
        self._check()
        self.variables = file.variables
        self.n_rows = (len(self.variables) + self._number("grades", 0)
                       + file.user_variables)  # of each member
        self.members = int(self._number("members", 1))
        self.association = self.options["association"]
        self.is_of_ratings = self.options["task"] in ("preference", "topk")
        self.temperature = float(self.metadata.get("temperature", 1))
        self.longest = float(self.metadata.get("longest", 0))
        self.widest = float(self.metadata.get("widest", 0))
        self.carry = float(self.metadata.get("carry", 0))
        grades = self.metadata.get("grades", "0 0 0 0").split()
        self.usual_grade = (int(grades[2]), int(grades[3]))
        self._number_of = {name: i for i, name in enumerate(self.variables)}
        relations = self._read_relations(file)
        self.networks = torch.nn.ModuleList(
            self._read_network(file, f"network{i}." if i else "", relations)
            for i in range(int(self._number("networks", 1))))
        self._read_rules(file)
        # The tensors that stay as they are.
        own = {name for name, _ in self._named_tensors()}
        self._others = {name: np.array(file[name]) for name in file if name not in own}

    # ---- reading ---------------------------------------------------------------------------

    def _number(self, name: str, otherwise: float) -> float:
        text = self.options.get(name)
        return otherwise if text is None else type(otherwise)(float(text))

    def _check(self) -> None:
        """Refuses a model that would not give the same answers."""
        kind, task = self.options.get("model"), self.options.get("task")
        if kind != "nln":
            raise FormatError(f"nln.torch reads the Neural Logic Network, not a model of kind {kind}")
        if task == "link":
            raise FormatError("nln.torch does not read models of task link: use nln.Model")
        for key, what in NOT_READ.items():
            if key in self.metadata:
                raise FormatError(f"nln.torch does not read this model, which has {what}")
        if self._number("orders", 1) != 1:
            raise FormatError("nln.torch computes expressions in the given order, and this model "
                              f"averages {self.options['orders']} random orders: train it with orders=1")

    def _read_relations(self, file: safetensors.File) -> Relations | None:
        self.predicates, self.entities = self._reader.predicates, list(self._reader.entities)
        self._entity_of = {name: i for i, name in enumerate(self.entities)}
        self._predicate_of = {name: i for i, name in enumerate(self.predicates)}
        self._atoms: dict[tuple, int] = {}  # (predicate, arguments) to its number
        if not self.predicates:
            return None
        return Relations(len(self.entities) * self.members, len(self.predicates) * self.members,
                         max(self.predicates.values()), self.options.get("predicates", "mlp"))

    def _read_network(self, file: safetensors.File, prefix: str,
                      relations: Relations | None) -> Network:
        dim, hidden = file[f"{prefix}not.in"].shape
        network = Network(dim, hidden, self.n_rows * self.members, self.options["embedding"],
                          self._number("alpha", 10.0), relations=relations)
        with torch.no_grad():
            for name, tensor in network.tensors().items():
                tensor.copy_(torch.from_numpy(np.array(file[prefix + name])).view(tensor.shape))
        return network

    def _read_rules(self, file: safetensors.File) -> None:
        factors = [*map(float, self.metadata.get("rules", "1 0 0").split()), 0.0]
        self.factors, self._dislike = tuple(factors[:3]), factors[3]
        if "rules.premise" in file:
            premise = torch.from_numpy(np.array(file["rules.premise"])).long() - 1
            self.register_buffer("_premise", premise, persistent=False)
            self.register_buffer("_weight", torch.from_numpy(np.array(file["rules.weight"])),
                                 persistent=False)

    # ---- writing -----------------------------------------------------------------------------

    def _named_tensors(self) -> Iterable[tuple[str, torch.Tensor]]:
        for i, network in enumerate(self.networks):
            for name, tensor in network.tensors().items():
                yield (f"network{i}." if i else "") + name, tensor

    def save(self, path: str | os.PathLike) -> None:
        """Writes a model file that `nln` and `nln.Model.load` read; after a failure the old file is
        still there.  What is no weight, as the names, the options, the calibration and the users,
        is as it was read.

        A network whose activation is not relu is refused, since nln would compute something else.
        """
        for network in self.networks:
            if network.activation not in (torch.relu, torch.nn.functional.relu):
                raise ValueError(f"nln computes with relu, and a network has the activation "
                                 f"{network.activation!r}: set it to torch.relu (and train on) "
                                 "before saving, or keep the model with torch.save")
        tensors = {name: tensor.detach().to("cpu", torch.float32).contiguous().numpy()
                   for name, tensor in self._named_tensors()}
        for name, tensor in tensors.items():
            if not np.isfinite(tensor).all():
                raise ValueError(f"the tensor {name} has numbers that are not finite: train with a "
                                 "smaller learning rate")
        safetensors.write(path, tensors | self._others, self.metadata)

    def to_library(self) -> LibraryModel:
        """The same as an `nln.Model`, without a file of its own."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "model")
            self.save(file)
            return LibraryModel.load(file)

    # ---- expressions -----------------------------------------------------------------------------

    def _atom(self, predicate: str, arguments: tuple) -> int:
        key = (self._predicate_of[predicate], *(self._entity_of[x] for x in arguments))
        return self._atoms.setdefault(key, len(self._atoms))

    @property
    def duals(self) -> bool:
        """Whether predictions also use the dual of an expression."""
        return self.options.get("duals") == "true"

    def read(self, expressions: str | Iterable[str] | Expressions) -> Expressions:
        """Expressions in the model's normal form, read once to be used many times."""
        if isinstance(expressions, Expressions):
            return expressions
        texts = [expressions] if isinstance(expressions, str) else list(expressions)
        atom_of = self._atom if self.predicates else None
        nodes = [parse(self._reader.normal_form(text, dual=dual), self._number_of.__getitem__, atom_of)
                 for dual in ((False, True) if self.duals else (False,)) for text in texts]
        return Expressions(Forest(nodes), len(texts))

    def implications(self, histories: Sequence[History], items: Sequence[str]) -> Expressions:
        """For each history and its item the expression that a model of ratings computes:
        `!(h1 & h2 & ...) | item`."""
        self._need_ratings()
        if len(histories) != len(items):
            raise ValueError(f"there are {len(histories)} histories, but {len(items)} items")
        last = int(self._number("history", 10))
        nodes = [[*self._history_nodes(self._literals(history)[-last:]),
                  (VARIABLE, self._reader.variables.index(item)), (OR, 2)]
                 for history, item in zip(histories, items)]
        return Expressions(Forest(nodes), len(nodes))

    def _need_ratings(self) -> None:
        if not self.is_of_ratings:
            raise ValueError("this model was trained on expressions, not on ratings")

    def _literals(self, history: History) -> list[tuple[int, bool, int]]:
        return [(x.item, bool(x.liked), x.grade) for x in self._reader._literals(history, None, None)]

    def _history_nodes(self, literals: Sequence[tuple[int, bool, int]]) -> list[tuple[int, int]]:
        """The nodes of `!(h1 & h2 & ...)`; F without any."""
        if not literals:
            return [(FALSE, 0)]
        nodes: list[tuple[int, int]] = []
        for item, liked, grade in literals:
            nodes += [(VARIABLE, item)] if liked else [(VARIABLE, item), (NOT, 1)]
            grade = grade or self.usual_grade[liked]
            if self.n_rows > len(self.variables) and grade:
                nodes += [(VARIABLE, len(self.variables) + grade - 1), (AND, 2)]
        if len(literals) > 1:
            nodes.append((AND, len(literals)))
        return [*nodes, (NOT, 1)]

    # ---- computing ---------------------------------------------------------------------------------

    def _plan(self, forest: Forest, chosen: np.ndarray, members: int = 0,
              random: np.random.Generator | None = None):
        plan = make_plan(forest, chosen, random, self.association, members or self.members,
                         self.n_rows, len(self._atoms))
        return plan.to(self.networks[0].theta.device)

    def _atom_vectors(self, network: Network, plan) -> torch.Tensor | None:
        """The vectors of a plan's atoms, by their number of arguments."""
        if not len(plan.atoms):
            return None
        device, table = network.theta.device, list(self._atoms)
        found: list[Any] = [None] * len(plan.atoms)
        arity = np.array([len(table[number % len(table)]) - 1 for number in plan.atoms])
        for n in np.unique(arity):
            places = np.flatnonzero(arity == n)
            rows = []
            for number in plan.atoms[places]:
                member, (predicate, *arguments) = number // len(table), table[number % len(table)]
                rows.append([predicate + member * len(self.predicates),
                             *(x + member * len(self.entities) for x in arguments)])
            numbers = torch.tensor(rows, device=device)
            vectors = network.atoms(numbers[:, 0], numbers[:, 1:])
            for place, vector in zip(places, vectors):
                found[place] = vector
        return torch.stack(found)

    def _roots(self, forest: Forest, chosen: np.ndarray, settled: bool = False) -> torch.Tensor:
        """[networks * members, n] alpha cos(e, T) of each network and member; if settled, one
        member that has the vote of all."""
        plan = self._plan(forest, chosen, members=1 if settled else 0)
        settle = (self.members, self.n_rows) if settled else (0, 0)
        found = [scores(net, plan, forward(net, plan, settle=settle,
                                           atom_vectors=self._atom_vectors(net, plan)))
                 for net in self.networks]
        return torch.cat([x.view(-1, len(chosen)) for x in found])

    def _mean(self, each: torch.Tensor) -> torch.Tensor:
        """Over networks and members: of log-odds for ratings, else of probabilities."""
        if len(each) == 1 or self.is_of_ratings:
            return each.mean(0)
        return torch.logit(torch.sigmoid(each.double()).mean(0)).to(each)

    def _some_log_odds(self, forest: Forest, chosen: np.ndarray) -> torch.Tensor:
        is_long = forest.literals(chosen) > (self.longest or np.inf)
        is_long |= forest.widest(chosen) > (self.widest or np.inf)
        if not self.longest or self.predicates or not self.options["embedding"].startswith("arc"):
            is_long[:] = False
        found = torch.zeros(len(chosen), device=self.networks[0].theta.device,
                            dtype=self.networks[0].theta.dtype)
        for settled, places in ((False, np.flatnonzero(~is_long)), (True, np.flatnonzero(is_long))):
            if len(places):
                score = self._mean(self._roots(forest, chosen[places], settled))
                found = found.index_put((torch.from_numpy(places).to(found.device),), score)
        return found

    def forward(self, expressions: str | Iterable[str] | Expressions) -> torch.Tensor:
        """The log-odds of expressions, calibrated as `nln predict` is; differentiable."""
        read = self.read(expressions)
        chosen = np.arange(len(read))
        if not len(read):
            return torch.zeros(0)
        score = self._some_log_odds(read.forest, chosen)
        if len(read.forest) > len(read):  # with duals
            score = (score - self._some_log_odds(read.forest, chosen + len(read))) / 2
        return self.temperature * score

    @torch.no_grad()
    def predict(self, expressions: str | Iterable[str] | Expressions) -> torch.Tensor:
        """The probabilities that expressions are true, as `nln.Model.predict` has them."""
        return torch.sigmoid(self(expressions))

    # ---- recommending ---------------------------------------------------------------------------------

    def item_scores(self, histories: Sequence[History]) -> torch.Tensor:
        """[networks * members, histories, items] alpha cos(OR(history, item), T) of each network
        and member, without rules and calibration; differentiable, for losses over items."""
        self._need_ratings()
        return self._item_scores([self._literals(history) for history in histories])

    def _item_scores(self, literals: Sequence[Sequence[tuple[int, bool, int]]]) -> torch.Tensor:
        last, n = int(self._number("history", 10)), len(literals)
        forest = Forest([self._history_nodes(x[-last:]) for x in literals])
        plan, found = self._plan(forest, np.arange(n)), []
        for net in self.networks:
            H = forward(net, plan).index_select(0, plan.root).view(self.members, n, -1)
            m = net.layers(net.theta)[OR]
            items = net.vectors().view(self.members, self.n_rows, -1)[:, : len(self.variables)]
            for member in range(self.members):
                left = H[member] @ m.into[: net.dim] + m.bias
                right = items[member] @ m.into[net.dim :]
                each = [net.alpha * cosine(net.activation(row + right) @ m.out, net.truth)
                        for row in left]
                found.append(torch.stack(each))
        return torch.stack(found)

    def scores(self, histories: Sequence[History]) -> torch.Tensor:
        """[histories, items] what `nln.Model.scores` says after each history: the mean over networks
        and members, with rules, surprises and calibration; differentiable."""
        self._need_ratings()
        literals = [self._literals(history) for history in histories]
        if not literals:
            return torch.zeros(0, len(self.variables))
        network, whole, recent = self.factors
        found = self.temperature * (network * self._item_scores(literals).mean(0)
                                    + self._rule_scores(literals, whole, recent))
        return found + self._carried(literals)[:, None]

    def answers(self, histories: Sequence[History], items: Sequence[str]) -> torch.Tensor:
        """[histories] the log-odds that each item is liked after its history, for task preference;
        differentiable."""
        if self.options["task"] != "preference":
            raise ValueError("answers are those of models of task preference; see scores")
        literals = [self._literals(history) for history in histories]
        return self(self.implications(histories, items)) + self._carried(literals)

    def _rule_scores(self, literals: Sequence[Sequence[tuple[int, bool, int]]], whole: float,
                     recent: float) -> torch.Tensor | float:
        if not whole and not recent:
            return 0.0
        n = len(self.variables)
        strength = np.zeros((len(literals), 2 * n + 1))  # likes, dislikes, and no premise
        for row, history in zip(strength, literals):
            factor, seen = recent, set()
            for item, liked, _ in reversed(history):
                if item not in seen:
                    seen.add(item)
                    row[item if liked else n + item] = whole + factor
                    if not liked:  # a part of a like, too
                        row[item] = self._dislike * (whole + factor)
                    factor *= DECAY if liked else 1
        by_premise = torch.from_numpy(strength).to(self._weight)
        premise = torch.where(self._premise < 0, 2 * n, self._premise)
        return torch.stack([(row[premise] * self._weight).sum(-1) for row in by_premise])

    def _carried(self, literals: Sequence[Sequence[tuple[int, bool, int]]]) -> torch.Tensor:
        """What the surprises of each history add."""
        theta, most = self.networks[0].theta, int(self._number("surprises", 0))
        if self.carry <= 0 or most <= 0:
            return theta.new_zeros(len(literals))
        last = int(self._number("history", 10))
        nodes, owner, liked = [], [], []
        for i, history in enumerate(literals):
            history = history[-last:]
            for place in range(max(len(history) - most, 0), len(history)):
                nodes.append([*self._history_nodes(history[:place]),
                              (VARIABLE, history[place][0]), (OR, 2)])
                owner.append(i)
                liked.append(float(history[place][1]))
        surprise, count = theta.new_zeros(len(literals)), theta.new_full((len(literals),), PRIOR)
        if nodes:
            score = self.temperature * self._some_log_odds(Forest(nodes), np.arange(len(nodes)))
            whose = torch.tensor(owner, device=theta.device)
            surprise = surprise.index_add(0, whose, theta.new_tensor(liked) - torch.sigmoid(score))
            count = count.index_add(0, whose, torch.ones_like(score))
        return self.carry * surprise / count

    # ---- learning -----------------------------------------------------------------------------------------

    def objective(self, **changes: Any) -> Objective:
        """The weights of the loss, as the model was trained with; `changes` by the names of
        `nln train`, with `_` for `-`; `laws` may also be a sequence of names."""
        found: dict[str, Any] = {}
        for row in fields(Objective):
            text = self.options.get(row.name.replace("_", "-"))
            if isinstance(row.default, float) and text is not None:
                found[row.name] = float(text)
        laws = changes.pop("laws", self.options.get("laws", "all"))
        found["laws"] = names_of(laws) if isinstance(laws, str) else tuple(laws)
        found["reduce"] = self.options.get("reduce", "sum")
        o = Objective(**(found | changes))
        for name in o.laws:
            if name not in LAWS and name not in COMPOUND_LAWS:
                raise ValueError(f"nln.torch has no law {name!r}: name some of "
                                 f"{', '.join([*LAWS, *COMPOUND_LAWS])}, "
                                 "and add others to the loss by NOT, AND, OR and similarity")
        return o

    def loss(self, expressions: str | Iterable[str] | Expressions, labels: Any,
             random: np.random.Generator | None = None, chosen: Any = None, weight: Any = None,
             settings: Objective | None = None, **changes: Any) -> torch.Tensor:
        """The loss of `nln train` on labelled expressions: data, laws, length and l2, the mean over
        networks and members.

        Labels are 0, 1 or between.  `random` draws what training draws: orders, duals, dropout,
        noise, and the rows under the laws; without it the given order is taken, and all of them.
        `chosen` are numbers of expressions, for a batch; `weight` multiplies what each expression
        says.  `settings` and `changes` are the weights of the parts: see `objective`.
        """
        return sum(self.loss_parts(expressions, labels, random, chosen, weight, settings,
                                   **changes).values())

    def loss_parts(self, expressions: str | Iterable[str] | Expressions, labels: Any,
                   random: np.random.Generator | None = None, chosen: Any = None,
                   weight: Any = None, settings: Objective | None = None, **changes: Any) -> dict[str, torch.Tensor]:
        """The parts of `loss`: data, laws, length and l2."""
        read, o = self.read(expressions), settings or self.objective(**changes)
        theta = self.networks[0].theta
        chosen = np.arange(len(read)) if chosen is None else np.asarray(chosen)
        place = torch.from_numpy(chosen).to(theta.device)

        def column(values: Any, name: str) -> torch.Tensor:
            given = torch.as_tensor(values, dtype=theta.dtype, device=theta.device)
            if len(given) != len(read):
                raise ValueError(f"there are {len(read)} expressions, but {len(given)} {name}")
            return given[place]

        truth = column(labels, "labels")
        share = None if weight is None else column(weight, "weights").repeat(self.members)
        if random and len(read.forest) > len(read):  # half of them as their duals
            dual = random.random(len(chosen)) < 0.5
            chosen = chosen + len(read) * dual
            truth = torch.where(torch.from_numpy(dual).to(truth.device), 1 - truth, truth)
        shuffled = random if self.options.get("shuffle", "true") == "true" else None
        truth = truth.repeat(self.members)
        each = len(self.networks) * (1 if o.reduce == "mean" else self.members)
        scale = 1 / len(truth) if o.reduce == "mean" else 1.0
        total: dict[str, torch.Tensor] = {}
        for net in self.networks:
            plan = self._plan(read.forest, chosen, random=shuffled)
            H = forward(net, plan, o, random, self._atom_vectors(net, plan))
            for name, part in objective(net, plan, H, truth, o, random, scale, share).items():
                total[name] = total.get(name, 0) + part / each
        return total

    def __getstate__(self) -> dict:
        state = self.__dict__.copy()
        for network in self.networks:
            network.tiles = {}
        return state

    def extra_repr(self) -> str:
        return (f"task={self.options['task']}, variables={len(self.variables)}, "
                f"members={self.members}, temperature={self.temperature:g}")


def load(path: str | os.PathLike) -> Model:
    """Reads a model file of the Neural Logic Network: of expressions, with predicates or without, or
    of ratings."""
    return Model(safetensors.read(path), LibraryModel.load(path))
