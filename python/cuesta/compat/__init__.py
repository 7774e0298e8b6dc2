"""Cuesta with the names and arguments of other libraries.

``cuesta.compat.cv2`` has OpenCV's arguments and returns OpenCV's bytes. ``cuesta.compat.skimage``
has scikit-image's arguments and returns its types. Neither imports the original library before a
call needs it. python/cuesta/compat/README.md lists what Cuesta computes and how close the results
are.
"""
