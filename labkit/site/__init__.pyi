from . import differences as differences
from . import landing as landing
from . import ledger as ledger
from . import settings as settings
from .build import SiteError as SiteError
from .build import build_site as build_site
from .links import faults as faults
from .reference import MODULES as MODULES
