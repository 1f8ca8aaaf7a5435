from .files import build as build
from .session import Session as Session
