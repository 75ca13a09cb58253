"""The Neural Logic Network as a torch.nn.Module.

    >>> import nln.torch
    >>> model = nln.torch.load("model.safetensors")
    >>> model.predict(["v1 & !v2"])          # the same as nln.Model.predict, within 1e-5
    >>> model.loss(expressions, labels).backward()
    >>> model.save("changed.safetensors")    # nln and nln.Model read it

`import nln` alone does not import PyTorch.
"""

try:
    import torch  # noqa: F401
except ImportError:
    raise ImportError("nln.torch needs PyTorch: install python3-torch, or `pip install torch`") from None

from .model import Expressions, Model, load
from .network import Network
from .objective import Objective

__all__ = ["Expressions", "Model", "Network", "Objective", "load"]
