# SPDX-License-Identifier: Apache-2.0
"""As PyTorch's file of this name, as far as modules are called and hold others: for versions of Python for which no PyTorch is here."""


class Module:
    def __init__(self):
        super().__setattr__("training", True)
        super().__setattr__("_modules", {})

    def __setattr__(self, name, value):
        if isinstance(value, Module):
            self._modules[name] = value
        else:
            super().__setattr__(name, value)

    def __getattr__(self, name):
        if name in self._modules:
            return self._modules[name]
        raise AttributeError(name)

    def _wrapped_call_impl(self, *args, **kwargs):
        return self._call_impl(*args, **kwargs)

    def _call_impl(self, *args, **kwargs):
        def inner():
            nonlocal args
            return self.forward(*args, **kwargs)

        return inner()

    __call__ = _wrapped_call_impl
