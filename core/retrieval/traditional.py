"""Patterns that are written in simplified Chinese and read traditional Chinese too."""

import re

_PAIRS = (
    "与與东東两兩个個为為么麼举舉义義书書买買产產亲親从從们們价價优優会會体體关關系係于於写寫几幾别別剂劑区區医醫协協单單参參号號后後吗嗎响響国國图圖场場声聲处處复復学學实實对對将將应應异異强強当當录錄态態总總报報"
    "择擇损損构構档檔气氣没沒浅淺济濟温溫点點烦煩热熱现現盘盤种種笔筆简簡类類级級纳納线線组組结結给給综綜缓緩罗羅联聯职職胜勝脉脈调調谁誰谐諧谱譜败敗账賬质質贵貴资資赖賴赋賦轴軸较較边邊过過运運还還这這进進"
    "远遠连連适適选選里裡钱錢错錯键鍵长長门門问問间間陈陳随隨难難顾顧项項领領饱飽龙龍览覽觉覺议議记記讲講论論证證识識诉訴词詞话話该該语語说說请請读讀帮幫无無显顯时時旧舊样樣汇匯归歸条條来來"
)
"""Simplified, traditional, simplified, ...: those that occur in patterns."""

_TRADITIONAL = dict(zip(_PAIRS[::2], _PAIRS[1::2], strict=True))
_PIECE = re.compile(r"\\.|.", re.DOTALL)


def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return the pattern, in which a character of `_PAIRS` stands for its traditional form too."""
    found: list[str] = []
    in_class = False
    for piece in _PIECE.findall(pattern):
        other = _TRADITIONAL.get(piece, "")
        found.append(f"[{piece}{other}]" if other and not in_class else f"{piece}{other}")
        in_class = piece != "]" and (in_class or piece == "[")
    return re.compile("".join(found), flags)
