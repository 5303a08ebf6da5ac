"""Keys, tokens and kubeconfigs of one sandbox, made with the standard library alone.

The API server signs its own serving certificate on its first start and leaves it, with the authority that signed it,
in `--cert-dir`; that file is the authority every client here trusts. Clients are known by random tokens.
"""

from __future__ import annotations

import base64
import csv
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

# The order of the group of NIST P-256 (SEC 2, secp256r1): a private key is a number from 1 to it, less one.
_P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
# RFC 5915 ECPrivateKey around the 32 bytes of the number: version 1; then the curve's name. The public key is
# optional there, and Go derives it (crypto/x509 ParseECPrivateKey, Go 1.26).
_EC_HEAD = bytes.fromhex("30310201010420")
_EC_TAIL = bytes.fromhex("a00a06082a8648ce3d030107")


@dataclass(frozen=True, slots=True)
class Client:
    """Who a program is to the API server: a user name and its groups."""

    user: str
    groups: tuple[str, ...] = ()


ADMIN = "admin"
CLIENTS: Mapping[str, Client] = {
    ADMIN: Client("sandbox-admin", ("system:masters",)),
    "kube-scheduler": Client("system:kube-scheduler"),
    "kube-controller-manager": Client("system:kube-controller-manager"),
    "kwok": Client("sandbox-kwok", ("system:masters",)),
    "ray-operator": Client("sandbox-kuberay-operator", ("system:masters",)),
}
"""Everybody who talks to the API server; scheduler and controller manager have the roles Kubernetes gives them."""


def service_account_key() -> str:
    """A new private key (PEM, EC P-256) to sign service account tokens with."""
    number = secrets.randbelow(_P256_ORDER - 1) + 1
    body = base64.encodebytes(_EC_HEAD + number.to_bytes(32, "big") + _EC_TAIL).decode()
    return f"-----BEGIN EC PRIVATE KEY-----\n{body}-----END EC PRIVATE KEY-----\n"


def new_tokens() -> dict[str, str]:
    """A random token for each of `CLIENTS`."""
    return {name: secrets.token_urlsafe(32) for name in CLIENTS}


def token_file(tokens: Mapping[str, str]) -> str:
    """The API server's `--token-auth-file`: token, user, uid and groups on a line."""
    lines = []
    for name, token in tokens.items():
        client = CLIENTS[name]
        lines.append(f'{token},{client.user},{name},"{",".join(client.groups)}"\n')
    return "".join(lines)


def read_tokens(text: str) -> dict[str, str]:
    """The token of each of `CLIENTS`, from the text of a token file."""
    return {line[2]: line[0] for line in csv.reader(text.splitlines())}


def kubeconfig(context: str, server: str, authority: bytes, token: str) -> str:
    """A kubeconfig with one context; `authority` is the PEM of the certificate to trust."""
    return yaml.safe_dump(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {
                    "name": context,
                    "cluster": {
                        "server": server,
                        "certificate-authority-data": base64.b64encode(authority).decode(),
                    },
                }
            ],
            "users": [{"name": context, "user": {"token": token}}],
            "contexts": [{"name": context, "context": {"cluster": context, "user": context}}],
            "current-context": context,
        },
        sort_keys=False,
    )


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    scratch = path.with_name(f".{path.name}.new")
    scratch.unlink(missing_ok=True)
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    scratch.replace(path)
