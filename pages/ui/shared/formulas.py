"""Formulas of notes as short HTML: the letters and signs that TeX commands represent, raised and lowered ones too."""

import re

from pages.ui.shared.safe import html

_SIGNS = dict(
    item.split("=")
    for item in (
        "alpha=α beta=β gamma=γ delta=δ epsilon=ε varepsilon=ε zeta=ζ eta=η theta=θ iota=ι kappa=κ lambda=λ mu=μ nu=ν "
        "xi=ξ pi=π rho=ρ sigma=σ tau=τ phi=φ varphi=φ chi=χ psi=ψ omega=ω Gamma=Γ Delta=Δ Theta=Θ Lambda=Λ Xi=Ξ Pi=Π "
        "Sigma=Σ Phi=Φ Psi=Ψ Omega=Ω times=× cdot=· pm=± leq=≤ le=≤ geq=≥ ge=≥ neq=≠ ne=≠ approx=≈ sim=∼ in=∈ notin=∉ "
        "subset=⊂ cup=∪ cap=∩ to=→ rightarrow=→ leftarrow=← Rightarrow=⇒ mapsto=↦ infty=∞ partial=∂ nabla=∇ sum=∑ prod=∏ "
        "int=∫ sqrt=√ ldots=… cdots=… dots=… vdots=⋮ forall=∀ exists=∃ odot=⊙ oplus=⊕ otimes=⊗ mid=| top=⊤ circ=∘ ast=∗ "
        "ell=ℓ propto=∝ equiv=≡ langle=⟨ rangle=⟩ lVert=‖ rVert=‖ prime=′ star=⋆ land=∧ lor=∨ neg=¬ perp=⊥"
    ).split()
)
_NAMES = frozenset("exp log ln sin cos tan tanh max min argmax argmin arg lim det dim ker sup inf Pr".split())
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?( ?)|\\(.)", re.DOTALL)
_SCRIPT = re.compile(r"([_^])(?:\{([^{}]*)\}|(\S))")


def formula(tex: str) -> str:
    """Return a formula, given with its dollar signs, as one line of HTML; unknown commands are left out."""
    text = " ".join(tex.strip("$").split())
    for _ in range(3):
        text = _FRACTION.sub(r"(\1)/(\2)", text)
    text = html(_COMMAND.sub(_sign, text).replace("&", " "))
    for _ in range(3):
        text = _SCRIPT.sub(_script, text)
    return f'<span class="t-math">{" ".join(re.sub("[{}]", "", text).split())}</span>'


def _sign(match: re.Match[str]) -> str:
    name, space, other = match.groups()
    if name is None:
        return other if other in "{}%_#$|" else " "
    sign = _SIGNS.get(name, name if name in _NAMES else "")
    return sign + space if sign else ""


def _script(match: re.Match[str]) -> str:
    tag = "sub" if match[1] == "_" else "sup"
    return f"<{tag}>{match[2] if match[2] is not None else match[3]}</{tag}>"
