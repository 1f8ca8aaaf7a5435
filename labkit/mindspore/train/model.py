"""`Model`: a network with its loss, its optimizer and its metrics; training, evaluation and prediction with them."""

from typing import Any

import numpy as np

from ...dialects.argument_types import as_tuple, of_kind
from ...dialects.class_paths import Placed
from ...dialects.unsupported import attributes
from .. import amp, nn
from ..argument_checks import check_type
from ..common.tensor import Tensor
from ..context import get_context
from ..nn.cell import Cell
from ..nn.metrics import Loss, get_metrics
from .callback import STAGES, Callback, CallbackManager, Parameters, RunContext, TimeMonitor, integer_from
from .dataset_helper import DatasetHelper, check_sink_size, connect_network_with_dataset

__all__ = ["Model"]

_OPTIONS = ("loss_scale_manager", "keep_batchnorm_fp32", "boost_config_dict", "acc_level")


class Model(metaclass=Placed):
    """What is needed to train a network.

    `loss_fn(network(data), label)` is minimised by `optimizer`; without `loss_fn` the network's output is the loss.
    `metrics`: a set of names such as {"accuracy", "loss"}, or a dictionary `{name: Metric}`. `eval_network` gives
    `(loss, prediction, label)` for them, or other outputs with `eval_indexes` saying where these three are.
    `amp_level` and `loss_scale_manager`: as in `amp.build_train_network`. `train_network` is the network with loss and
    optimizer, one call of which is one step; `eval_network` gives what the metrics take; `predict_network` is `network`.

    >>> import labkit.mindspore as ms
    >>> import numpy as np
    >>> data = ms.dataset.NumpySlicesDataset((np.ones((4, 2), "f"), np.ones((4, 1), "f")), ["x", "y"]).batch(2)
    >>> net = ms.nn.Dense(2, 1)
    >>> model = ms.train.Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params(), 0.1), metrics={"loss"})
    >>> model.train(20, data, dataset_sink_mode=False)
    >>> bool(model.eval(data, dataset_sink_mode=False)["loss"] < 0.01), model.predict(ms.ops.ones((3, 2))).shape
    (True, (3, 1))
    """

    def __init__(self, network, loss_fn=None, optimizer=None, metrics=None, eval_network=None, eval_indexes=None,
                 amp_level="O0", boost_level="O0", **kwargs):  # fmt: skip
        for name in kwargs:
            if name not in _OPTIONS:
                raise ValueError(
                    "The argument in 'kwargs' should be 'loss_scale_manager' or 'keep_batchnorm_fp32' or "
                    f"'boost_config_dict' or 'acc_level', but got '{name}'."
                )
        self.predict_network = check_type(network, "network", Cell)
        self._loss_fn, self._optimizer = loss_fn, optimizer
        self._amp_level, self._loss_scale_manager = amp_level, kwargs.get("loss_scale_manager")
        self._training = None
        self.train_network = self._built_for_training(kwargs)
        self._metric_fns = get_metrics(metrics)
        self.eval_network, self._eval_indexes = self._built_for_evaluation(eval_network, eval_indexes)

    def _built_for_training(self, options):
        if self._optimizer is None:
            if self._loss_scale_manager is not None:
                raise ValueError("The argument 'optimizer' can not be None when set 'loss_scale_manager'.")
            if self._amp_level != "O0":
                raise ValueError(
                    "Auto mixed precision will not work because 'optimizer' is None.Please set amp_level='O0' "
                    "to disable auto mixed precision or set 'optimizer' not be None to use auto mixed precision."
                )
            return (
                self.predict_network if self._loss_fn is None else nn.WithLossCell(self.predict_network, self._loss_fn)
            )
        config = {name: options[name] for name in _OPTIONS[:2] if name in options}
        return amp.build_train_network(
            self.predict_network, self._optimizer, self._loss_fn, level=self._amp_level, **config
        )

    def _built_for_evaluation(self, eval_network, eval_indexes):
        if not self._metric_fns:
            return eval_network, None
        if eval_network is not None:
            return eval_network, eval_indexes
        if self._loss_fn is None:
            raise ValueError(
                "If `metrics` is set, `eval_network` must not be None. Do not set `metrics` if you"
                " don't want an evaluation.\n"
                "If evaluation is required, you need to specify `eval_network`, which will be used in"
                " the framework to evaluate the model.\n"
                "For the simple scenarios with one data, one label and one logits, `eval_network` is"
                " optional, and then you can set `eval_network` or `loss_fn`. For the latter case,"
                " framework will automatically build an evaluation network with `network` and"
                " `loss_fn`."
            )
        cast = self._amp_level in ("O2", "O3", "auto")
        return nn.WithEvalCell(self.predict_network, self._loss_fn, cast), [0, 1, 2]

    # ---- training ----

    def train(self, epoch, train_dataset, callbacks=None, dataset_sink_mode=False, sink_size=-1,
              initial_epoch=0) -> None:  # fmt: skip
        """Train for `epoch` epochs (counted from `initial_epoch`) on the batches of `train_dataset`.

        With `dataset_sink_mode`, on a device that sinks ("Ascend" or "GPU"; a CPU does not), an epoch is `sink_size`
        steps (-1: the whole data set) in one launch, and callbacks see a step per launch.
        """
        self._fit(epoch, train_dataset, callbacks, dataset_sink_mode, sink_size, initial_epoch, None)

    def fit(self, epoch, train_dataset, valid_dataset=None, valid_frequency=1, callbacks=None, dataset_sink_mode=False,
            valid_dataset_sink_mode=False, sink_size=-1, initial_epoch=0) -> None:  # fmt: skip
        """`train` with an evaluation on `valid_dataset` every `valid_frequency` epochs, or after those in such a list."""
        if valid_dataset is not None:
            self._check_metrics("fit, if valid_dataset is not None")
        _refuse_old_names(callbacks)
        validation = None if valid_dataset is None else (valid_dataset, valid_frequency, valid_dataset_sink_mode)
        self._fit(epoch, train_dataset, callbacks, dataset_sink_mode, sink_size, initial_epoch, validation)

    def _fit(self, epoch, dataset, callbacks, sink, sink_size, initial_epoch, validation):
        epochs = _Epochs(epoch, initial_epoch, dataset.get_dataset_size(), sink, sink_size)
        known = self._run_parameters(callbacks, "train", epochs.steps)
        known.update(epoch_num=epoch - initial_epoch, train_dataset=dataset, train_network=self.train_network,
                     loss_fn=self._loss_fn, optimizer=self._optimizer, train_dataset_element=None,
                     dataset_sink_mode=epochs.sunk, sink_size=sink_size)  # fmt: skip
        helper = DatasetHelper(dataset, epochs.sunk, epochs.steps if epochs.sunk else -1, epoch - initial_epoch)
        network = connect_network_with_dataset(self.train_network, helper) if epochs.sunk else self.train_network
        context = RunContext(known)
        with CallbackManager(known.list_callback) as events:
            events.on_train_begin(context)
            for number in epochs:
                known.cur_epoch_num = number
                events.on_train_epoch_begin(context)
                self._epoch(network, helper, known, events, context)
                if validation and _is_due(number, validation[1]):
                    self._evaluate_between(validation, known)
                events.on_train_epoch_end(context)
                known.pop("metrics", None), known.pop("eval_results", None)
                if context.get_stop_requested():
                    break
            events.on_train_end(context)

    def _epoch(self, network, helper, known, events, context):
        for row in helper:
            if self._loss_fn is not None and not helper.sunk and len(row) != 2:
                raise ValueError(
                    "When 'loss_fn' is not None, 'train_dataset' should return two elements, but got "
                    f"{len(row)}, please check the number of elements returned by 'train_dataset'"
                )
            known.cur_step_num += helper.sink_size()
            known.train_dataset_element = row
            events.on_train_step_begin(context)
            self._in_mode(self.train_network, True)
            known.net_outputs = network(*row)
            if not helper.sunk:
                self._scale_after(known.net_outputs)
            events.on_train_step_end(context)
            if context.get_stop_requested():
                return

    def _scale_after(self, outputs):
        """Tell the loss-scale manager whether the step overflowed."""
        manager = self._loss_scale_manager
        if manager is not None and manager.get_drop_overflow_update():
            manager.update_loss_scale(bool(np.all(outputs[1].asnumpy())))

    def _evaluate_between(self, validation, known):
        """Evaluate, for callbacks of the user and TimeMonitor; leaves `metrics` and `eval_results` for the epoch's end."""
        dataset, _, sink = validation
        chosen = [cb for cb in known.list_callback if isinstance(cb, TimeMonitor) or not _is_own(cb)]
        during = self._run_parameters(chosen, "eval", dataset.get_dataset_size())
        during.cur_epoch_num = known.cur_epoch_num
        metrics = self._evaluate(dataset, sink, during, with_loss=True)
        known.metrics, known.eval_results = metrics, during.eval_results

    # ---- evaluation and prediction ----

    def eval(self, valid_dataset, callbacks=None, dataset_sink_mode=False) -> dict[str, Any]:
        """`{name: value}` of the metrics over `valid_dataset`."""
        self._check_metrics("eval")
        known = self._run_parameters(callbacks, "eval", valid_dataset.get_dataset_size())
        with CallbackManager(known.list_callback):
            return self._evaluate(valid_dataset, dataset_sink_mode, known)

    def _check_metrics(self, place):
        if not self._metric_fns:
            raise ValueError(
                f"For Model.{place}, the model argument 'metrics' can not be None or empty, "
                "you should set the argument 'metrics' for model."
            )

    def _evaluate(self, dataset, sink, known, with_loss=False):
        known.update(eval_network=self.eval_network, valid_dataset=dataset, dataset_sink_mode=_sinks(sink))
        helper = DatasetHelper(dataset, _sinks(sink), 1 if _sinks(sink) else -1, 1)
        network = connect_network_with_dataset(self.eval_network, helper) if helper.sunk else self.eval_network
        for metric in self._metric_fns.values():
            metric.clear()
        events, context, loss = CallbackManager(known.list_callback), RunContext(known), Loss()
        events.on_eval_begin(context)
        events.on_eval_epoch_begin(context)
        for row in [()] * dataset.get_dataset_size() if helper.sunk else helper:
            known.cur_step_num += 1
            known.eval_dataset_element = row
            events.on_eval_step_begin(context)
            self._in_mode(self.eval_network, False)
            known.net_outputs = outputs = network(*row)
            events.on_eval_step_end(context)
            self._measure(outputs, loss if with_loss else None)
            if context.get_stop_requested():
                break
        events.on_eval_epoch_end(context)
        known.metrics = {name: metric.eval() for name, metric in self._metric_fns.items()}
        if with_loss:
            known.eval_results = {**known.metrics, "eval_loss": loss.eval()}
        events.on_eval_end(context)
        return known.metrics

    def _measure(self, outputs, loss):
        """Give the outputs of a step to the metrics, and its loss to `loss`, if wanted."""
        outputs = as_tuple(outputs, (tuple, list))
        places = self._eval_indexes
        for metric in self._metric_fns.values():
            if places is None:
                metric.update(*outputs)
            elif isinstance(metric, Loss):
                metric.update(outputs[places[0]])
            else:
                metric.update(outputs[places[1]], outputs[places[2]])
        if loss is not None:
            loss.update(outputs[0 if places is None else places[0]])

    def predict(self, *predict_data) -> Any:
        """The network's output for some data, not in training mode."""
        union = "Tensor, None, int, float, str"
        text = "The types of input data must be in the Union({0}, tuple[{0}], list[{0}], dict[{0}]), but got type {{kind}}."
        for item in predict_data:
            of_kind(item, (Tensor, int, float, bool, str, tuple, list, dict, type(None)), text.format(union))
        self._in_mode(self.predict_network, False)
        return self.predict_network(*predict_data)

    def _in_mode(self, network, training):
        """Put the network in training mode, or out of it, if it is not yet."""
        if self._training is not training or self.predict_network.training is not training:
            network.set_train(training)
            self._training = training

    # ---- callbacks ----

    def _run_parameters(self, callbacks, mode, steps):
        """The information that callbacks get at the beginning."""
        return Parameters(
            mode=mode, batch_num=steps, cur_step_num=0, list_callback=CallbackManager(callbacks).callbacks,
            network=self.predict_network, parallel_mode="stand_alone", device_number=1,
        )  # fmt: skip


class _Epochs:
    """The numbers of the epochs to train; `steps` in each; whether data are `sunk`."""

    def __init__(self, epoch, initial_epoch, size, sink, sink_size):
        of_kind(sink, bool, "For 'Model.train', 'dataset_sink_mode' must be a bool, but got {kind}.")
        self.first, self.last = integer_from(initial_epoch, 0), integer_from(epoch, 1)
        if initial_epoch >= epoch:
            raise ValueError(
                "For 'Model.train', the parameter 'epoch' must bigger than parameter 'initial_epoch', but got the "
                f"parameter 'epoch' is {epoch}, 'initial_epoch' is {initial_epoch}."
            )
        if size == 0:
            raise ValueError("There is no valid data in dataset, please check dataset file firstly.")
        check_sink_size(sink_size, "For 'Model.train', The argument 'sink_size' must be -1 or positive, but got")
        self.sunk = _sinks(sink)
        self.steps = sink_size if sink and sink_size > 0 else size

    def __iter__(self):
        return iter(range(self.first + 1, self.last + 1))


def _sinks(wanted):
    return wanted and get_context("device_target") != "CPU"


def _is_due(epoch, frequency):
    return epoch % frequency == 0 if isinstance(frequency, int) else epoch in frequency


def _refuse_old_names(callbacks):
    """Raise ValueError if a callback for `fit` uses the older names, which do not distinguish training from evaluation."""
    for callback in CallbackManager(callbacks).callbacks:
        old = set(STAGES) & set(vars(type(callback)))
        if old and not _is_own(callback):
            raise ValueError(
                f"For {type(callback).__name__} callback, {old} methods may not be supported in later version, "
                "Use methods prefixed with 'on_train' or 'on_eval' instead when using customized callbacks."
            )


def _is_own(callback):
    """Whether a callback is one of labkit's."""
    return type(callback).__module__.startswith(Callback.__module__.rpartition(".")[0])


__getattr__ = attributes(__name__)
