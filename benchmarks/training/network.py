"""The reader of `core/features/answers/reader.py` in torch, to train its weights."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.features.answers.reader import HEADS

WIDTH, LAYERS, INNER = 256, 3, 768
QUESTION_TOKENS, TOKENS = 48, 512
DIMENSION = 384
"""Numbers of a token's vector of the built-in model."""
_ABSENT = -1.0


class Layer(nn.Module):
    """A transformer layer that normalises its inputs (pre-LN; Xiong et al. 2020)."""

    def __init__(self) -> None:
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.o = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.f1, self.f2 = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        texts, tokens, _ = states.shape
        mixed = self.qkv(self.n1(states)).view(texts, tokens, 3, HEADS, WIDTH // HEADS)
        attended = functional.scaled_dot_product_attention(*mixed.permute(2, 0, 3, 1, 4), attn_mask=mask)
        states = states + self.o(attended.transpose(1, 2).reshape(texts, tokens, WIDTH))
        return states + self.f2(functional.gelu(self.f1(self.n2(states))))


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.wp, self.wq = nn.Linear(DIMENSION, WIDTH), nn.Linear(DIMENSION, WIDTH)
        self.wa, self.feat = nn.Linear(DIMENSION, WIDTH, bias=False), nn.Linear(4, WIDTH)
        self.pos, self.qpos = nn.Embedding(TOKENS, WIDTH), nn.Embedding(QUESTION_TOKENS, WIDTH)
        self.tau = nn.Parameter(torch.tensor(15.0))
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm, self.att = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 1)
        self.out = nn.Sequential(nn.Linear(WIDTH + 1, WIDTH), nn.GELU(), nn.Linear(WIDTH, 1))
        for places in (self.pos, self.qpos):
            nn.init.normal_(places.weight, std=0.02)

    def forward(
        self, question: Tensor, asked: Tensor, signs: Tensor, held: Tensor, about: Tensor, units: Tensor
    ) -> Tensor:
        """Return the score of each unit, shape (passages, units).

        `question` (passages, tokens, 384) are unit vectors and `signs` (passages, tokens, 384) are -1 or 1; `asked` and
        `held` say which of their tokens are there, `about` (passages, tokens, 2) which are of a heading and which begin
        a unit, and `units` (passages, units, tokens) which tokens are in which unit.
        """
        root = DIMENSION**0.5
        cosines = signs @ question.transpose(1, 2) / root
        present = cosines.masked_fill(~asked[:, None], _ABSENT)
        aligned = torch.softmax(present * self.tau, -1) @ question
        mean = cosines.masked_fill(~asked[:, None], 0).sum(-1, keepdim=True) / asked.sum(-1)[:, None, None]
        features = torch.cat([present.max(-1, keepdim=True).values, mean, about], -1)
        tokens = self.wp(signs) + self.wa(aligned * root) + self.feat(features) + self.pos.weight[: signs.shape[1]]
        nearest = cosines.masked_fill(~held[:, :, None], _ABSENT).max(1).values
        nothing = torch.zeros_like(nearest)
        own = torch.stack([nearest, nothing, nothing - 1, nothing - 1], -1)
        words = self.wq(question * root) + self.feat(own) + self.qpos.weight[: question.shape[1]]
        states, mask = torch.cat([words, tokens], 1), torch.cat([asked, held], 1)[:, None, None, :]
        for layer in self.layers:
            states = layer(states, mask)
        return self._pooled(self.norm(states)[:, question.shape[1] :], units)

    def _pooled(self, states: Tensor, units: Tensor) -> Tensor:
        weight = torch.exp(self.att(states).squeeze(-1).float().clamp(-15, 15)).to(states.dtype)
        weights = units.to(states.dtype) * weight[:, None, :]
        mean = (weights @ states) / (weights.sum(-1, keepdim=True) + 1e-6)
        top = torch.log(weights.amax(-1, keepdim=True).float() + 1e-6).to(states.dtype)
        scores: Tensor = self.out(torch.cat([mean, top], -1)).squeeze(-1)
        return scores
