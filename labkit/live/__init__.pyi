from . import image as image
from . import runtime as runtime
from . import warm as warm
from .image import ImageError as ImageError
from .image import make_image as make_image
from .runtime import RuntimeFileError as RuntimeFileError
from .runtime import lay as lay
