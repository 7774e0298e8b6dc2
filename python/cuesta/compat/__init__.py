"""Cuesta behind the names and arguments of other libraries.

``cuesta.compat.cv2`` takes OpenCV's arguments and gives OpenCV's bytes; ``cuesta.compat.skimage``
takes scikit-image's and returns its types. Neither imports the library it stands in for before a call
needs it. What Cuesta answers, and how close the answers are, is in python/cuesta/compat/README.md.
"""
