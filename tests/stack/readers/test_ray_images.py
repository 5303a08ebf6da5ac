from __future__ import annotations

import pytest

from controlplane.stack.facts import Derived, Known, Unknown, Why, value_of
from controlplane.stack.readers.ray_images import is_ray_llm_image, ray_version_of_image


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("rayproject/ray:2.52.0", "2.52.0"),
        ("rayproject/ray:2.52.0-py311-gpu", "2.52.0"),
        ("rayproject/ray-llm:2.52.0-py311-cu128", "2.52.0"),
        ("docker.io/rayproject/ray-ml:2.9.3-py310-gpu", "2.9.3"),
        ("registry.example:5000/mirror/rayproject/ray:2.60.0-aarch64@sha256:abc", "2.60.0"),
        ("rayproject/ray:2.60.0rc1", "2.60.0rc1"),
        ("rayproject/ray:nightly-py311", None),
        ("rayproject/ray:latest", None),
        ("rayproject/ray", None),
        ("rayproject/ray-ml:2.46.0.0e19ea-py39-cpu", None),
        ("rayproject/autoscaler:2.52.0", None),
        ("registry.example/ray:2.52.0", None),
        ("registry.example/myrayproject/ray:2.52.0", None),
        ("someone/ray-llm:2.52.0", None),
        ("", None),
    ],
)
def test_only_rays_own_images_tell_a_version(image: str, version: str | None) -> None:
    assert value_of(ray_version_of_image(Known(image, Derived("a test")))) == version


def test_an_image_that_is_not_known_tells_none() -> None:
    assert ray_version_of_image(Unknown(Why.TEMPLATED)) == Unknown(Why.VERSION)
    assert not is_ray_llm_image(Unknown(Why.TEMPLATED))


def test_images_for_serve_llm_are_told_from_others() -> None:
    assert is_ray_llm_image(Known("rayproject/ray-llm:2.60.0-py311-cu128", Derived("a test")))
    assert not is_ray_llm_image(Known("rayproject/ray:2.60.0", Derived("a test")))
