"""Loss functions in plain NumPy, which `dynacc.grad` differentiates. The names and arguments are those of optax.

They return one number for each example, in the dtype of their operands; a program takes the mean. docs/training.md is
the guide.
"""
import numpy as _np

__all__ = ["huber_loss", "l2_loss", "log_cosh", "log_softmax", "sigmoid_binary_cross_entropy", "smooth_labels",
           "softmax_cross_entropy", "softmax_cross_entropy_with_integer_labels", "squared_error"]


def squared_error(predictions, targets=None):
    """(predictions - targets) ** 2, elementwise; without `targets` predictions ** 2."""
    error = predictions if targets is None else predictions - targets
    return error * error


def l2_loss(predictions, targets=None):
    """Half of `squared_error`, whose derivative is the error itself."""
    return 0.5 * squared_error(predictions, targets)


def huber_loss(predictions, targets=None, delta=1.0):
    """Half the squared error where the error is at most `delta`, and linear beyond: less moved by outliers.

    Source: Huber, "Robust Estimation of a Location Parameter", 1964.
    """
    error = _np.abs(predictions if targets is None else predictions - targets)
    quadratic = _np.minimum(error, delta)
    return 0.5 * quadratic * quadratic + delta * (error - quadratic)


def log_cosh(predictions, targets=None):
    """log(cosh(predictions - targets)), elementwise, without overflow."""
    error = predictions if targets is None else predictions - targets
    return _np.logaddexp(error, -error) - _np.log(2.0).astype(error.dtype)


def log_softmax(logits, axis=-1):
    """log(exp(logits) / sum(exp(logits))) along an axis, without overflow."""
    shifted = logits - logits.max(axis=axis, keepdims=True)
    return shifted - _np.log(_np.exp(shifted).sum(axis=axis, keepdims=True))


def softmax_cross_entropy(logits, labels, axis=-1):
    """The cross-entropy of distributions `labels` under the softmax of `logits`, along an axis.

    logits, labels  arrays of shapes that broadcast; labels are probabilities, as one-hot rows are

    The result has the shape without that axis.
    """
    return -(labels * log_softmax(logits, axis)).sum(axis=axis)


def softmax_cross_entropy_with_integer_labels(logits, labels):
    """The same for labels that are numbers of classes.

    logits  (..., classes)
    labels  (...), ints from 0 up to classes

    The result has the shape of `labels`. TypeError for labels that are no ints, ValueError for another shape.
    """
    if labels.dtype.kind not in "iu":
        raise TypeError(f"dynacc.losses.softmax_cross_entropy_with_integer_labels: labels are ints, not {labels.dtype}")
    if labels.shape != logits.shape[:-1]:
        raise ValueError("dynacc.losses.softmax_cross_entropy_with_integer_labels: logits of the shape "
                         f"{logits.shape} and labels of the shape {labels.shape}")
    classes = logits.shape[-1]
    rows = log_softmax(logits).reshape((labels.size, classes))
    return -rows[_np.arange(labels.size), labels.reshape(labels.size)].reshape(labels.shape)


def sigmoid_binary_cross_entropy(logits, labels):
    """The cross-entropy of independent probabilities `labels` under the logistic function of `logits`, elementwise.

    Computed as -labels * log(p) - (1 - labels) * log(1 - p) without overflow: log(p) is -logaddexp(0, -logits).
    """
    zero = logits * 0
    return labels * _np.logaddexp(zero, -logits) + (1 - labels) * _np.logaddexp(zero, logits)


def smooth_labels(labels, alpha):
    """One-hot rows with the weight `alpha` spread over all classes: (1 - alpha) * labels + alpha / classes.

    Source: Müller et al., "When does label smoothing help?", 2019.
    """
    return (1.0 - alpha) * labels + alpha / labels.shape[-1]
