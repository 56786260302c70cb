"""English words by class, and a question as a row of them: names joined, possessives apart.

No tagger: closed classes are lists, verbs are known by a list of stems and their endings, and what stands
before a word decides between a noun and a verb ("the report", "did report").
"""

from __future__ import annotations

import re

from appliance.domain import Struct

PEOPLE = frozenset(
    "founder co-founder cofounder leader head director co-director inventor investigator author co-author "
    "writer "
    "novelist poet president chairman chairwoman chair ceo cfo chancellor rector dean minister mayor "
    "governor "
    "coach captain composer singer performer actor actress spouse wife husband mother father son daughter "
    "brother sister sibling child grandfather grandmother grandson granddaughter uncle aunt stepfather "
    "stepmother editor architect coordinator chemist physician creator star lead producer screenwriter "
    "lyricist "
    "guitarist drummer bassist vocalist frontman songwriter painter sculptor artist musician player manager "
    "king queen emperor monarch ruler lord duke prince princess secretary senator ambassador bishop pope "
    "designer engineer scientist researcher professor teacher doctor officer commander general host "
    "presenter "
    "narrator discoverer explorer owner winner successor predecessor employer translator illustrator "
    "publisher "
    "member father-in-law mother-in-law child-in-law sibling-in-law partner person man woman people "
    "individual".split()
)
FIRMS = frozenset(
    "maker manufacturer supplier vendor producer customer parent publisher developer sponsor funder operator "
    "subsidiary licensee licensor applicant assignee distributor importer landlord tenant contractor auditor "
    "insurer lender borrower shareholder holder recipient broadcaster label".split()
)
ATTRIBUTES = frozenset(
    "birthplace nationality citizenship hometown headquarters capital population currency budget revenue "
    "religion denomination occupation profession employer genre language team club league network station "
    "color colour mascot anthem source mouth tributary area height length address website".split()
)
THINGS = frozenset(
    "company firm group project programme program study trial centre center institute university college "
    "school hospital laboratory lab department agency ministry bank court country city town state province "
    "region county district village island continent river lake mountain range ocean sea body person "
    "scientist "
    "researcher engineer team club league product device sensor software system model drug compound material "
    "patent standard regulation contract agreement report paper article book novel poem story film movie "
    "song "
    "album single band duo magazine newspaper series show episode season game party award medal prize "
    "battery "
    "electrode filter component manual policy site plant factory building museum stadium bridge airport "
    "station "
    "festival war battle treaty edict law religion denomination language network channel studio label "
    "character "
    "organization organisation association brand event competition tournament championship election empire "
    "kingdom dynasty republic place location area territory headquarters birthplace capital field genre "
    "species "
    "plane aircraft ship craft vehicle car engine church cathedral temple monastery holiday sport disease "
    "virus "
    "gene protein element metal instrument man woman people individual singer actor actress player pilot one "
    "website subsidiary division branch unit chapter clause section table".split()
)
ROLES = PEOPLE | FIRMS
NOUNS = ROLES | THINGS | ATTRIBUTES
TITLED = frozenset(
    "film movie song album novel book play series show single poem opera musical magazine game "
    "episode".split()
)
DETERMINERS = frozenset("the a an this that these those its his her their our my your same".split())
PREPOSITIONS = frozenset(
    "of in on at by for from to with under over into about between during after before since until near "
    "behind "
    "against through within without along around across above below as than like via onto upon besides "
    "including".split()
)
RELATIVES = frozenset("that which who whom whose where when".split())
ASKING = frozenset("what which who whom whose where when why how".split())
BE = frozenset("is was are were be been being".split())
HAVE = frozenset("has have had".split())
DO = frozenset("did does do".split())
MODALS = frozenset("can could will would shall should may might must".split())
ADVERBS = frozenset(
    "also first then originally later previously formerly currently now still often usually once officially "
    "not never largely mainly mostly primarily partly recently eventually finally jointly "
    "together".split()
)
_BASE = frozenset(
    "abandon absorb accept achieve acquire act adapt adopt affect agree air announce appear apply appoint "
    "argue "
    "arrive ask attack attend award base bear become begin believe belong break bring broadcast build bury "
    "buy "
    "call capture carry cause cede celebrate change charge choose claim close coach collaborate collapse "
    "come "
    "command compete compose conquer consist constitute contain control convert cost cover create cross "
    "crown "
    "damage deal declare defeat define depend derive design destroy develop die direct discover divide "
    "draft draw "
    "earn edit elect emigrate employ enact encompass end enter establish evolve exist expand expel explore "
    "export "
    "face fall feature fight fill film find finance finish fit flow follow force form found fund gain get "
    "give "
    "go govern grade graduate greet grow guard happen have head headquarter help hire hit hold host "
    "identify impose "
    "include increase influence inherit inspire intend introduce invade invent invest join keep kill know "
    "land "
    "last launch lead leave license lie list live locate lose love maintain make manage manufacture map mark "
    "marry master mean meet merge move name need occupy occur offer open operate oppose orbit order organise "
    "organize originate oversee own paint participate pass pay perform pitch plan play portray possess "
    "practise "
    "practice premiere prepare present preside prevent print produce prohibit promote propose protect prove "
    "publish purchase raise rank reach read rebel receive recognise recognize record recover refer refuse "
    "reform "
    "reign reject relate release remain remove rename rent replace report represent require research resign "
    "result retire return reveal rise rule run say score seat secede see sell send separate serve set settle "
    "share shoot show sign sing sink situate span speak spend sponsor sport stage stand star start state "
    "stay "
    "stop study succeed suffer supply support surrender take teach tell test think tour trade train transfer "
    "translate travel treat try turn unite use visit voice vote want watch wear win witness work write "
    "dissolve predate bundle ban arrest execute assassinate accompany address appoint assemble cast credit "
    "conduct dub engineer "
    "inhabit overthrow overtake border proceed precede measure border surround connect link operate".split()
)
_PAST = frozenset(
    "began born became bore bought brought broke broadcast built came cast chose cost cut dealt drew drove "
    "fell "
    "fought found flew forbade founded gave got grew held hit hurt kept knew laid led left lent let lost "
    "made met "
    "meant paid put ran read rose said sang sank sat saw sent set shot showed shut slain sold spent spoke "
    "spread "
    "stood swore sung sunk taken taught thought threw told took torn understood went withdrew won wore wove "
    "written wrote begun become chosen drawn driven eaten fallen flown forbidden given gone grown known laid "
    "risen seen shown spoken stolen sworn thrown worn overthrew overthrown".split()
)
_NOT_PAST = frozenset("red bed hundred sacred united speed seed need feed indeed shed wed breed".split())
_NAME_LINKS = frozenset("of the de la le von van der den del di da al el ibn bin du des".split())
_TITLES = frozenset(
    "king queen emperor empress duke duchess count countess prince princess earl baron baroness lord lady "
    "marquis margrave landgrave jr sr".split()
)
_TOKEN = re.compile(
    r"\{\d+\}|\"[^\"]+\"|“[^”]+”|«[^»]+»|\d[\d,.]*\d|(?:[A-Z]\.)+(?:[A-Z]\b)?|"
    r"[^\W_](?:[\w&./+-]|['’](?!s\b)(?=\w)|(?<![sS])['’](?=\s))*|['’]s\b|['’](?=\s|$)|\([^()]*\)|[^\s\w]"
)


class Word(Struct, frozen=True, kw_only=True):
    """A word, or several that are one name."""

    text: str
    start: int
    end: int
    name: bool = False
    """A proper name, a quoted title, ``{n}``."""

    @property
    def low(self) -> str:
        """In lower case; of a name nothing, so that it is in no class."""
        return "" if self.name else self.text.lower()


def is_past(low: str) -> bool:
    """Whether it has the form of a past tense or a participle."""
    return low in _PAST or (low.endswith("ed") and len(low) > 3 and low not in _NOT_PAST)


def is_listed_past(low: str) -> bool:
    """Whether it is the past of a listed verb: ``founded``, ``wrote``."""
    if low in _PAST:
        return True
    stem = low[:-2]
    return low.endswith("ed") and any(one in _BASE for one in (stem, low[:-1], stem[:-1], f"{low[:-3]}y"))


def is_base(low: str) -> bool:
    """Whether it is the stem of a verb on the list."""
    return low in _BASE


def is_third(low: str) -> bool:
    """Whether it is a listed verb in the third person: ``publishes``."""
    if not low.endswith("s") or len(low) < 4:
        return False
    return low[:-1] in _BASE or (low.endswith("es") and low[:-2] in _BASE) or f"{low[:-3]}y" in _BASE


def is_ing(low: str) -> bool:
    """Whether it has the form of a present participle of a listed verb."""
    stem = low[:-3]
    return low.endswith("ing") and (stem in _BASE or f"{stem}e" in _BASE or stem[:-1] in _BASE)


def words_of(text: str) -> list[Word]:
    """The question's words in order; runs of capitalised words are one name."""
    raw = [Word(text=found.group(), start=found.start(), end=found.end()) for found in _TOKEN.finditer(text)]
    words: list[Word] = []
    at = 0
    while at < len(raw):
        end = _name_end(raw, at)
        if end > at:
            first, last = raw[at], raw[end - 1]
            words.append(Word(text=text[first.start : last.end], start=first.start, end=last.end, name=True))
            at = end
        else:
            words.append(raw[at])
            at += 1
    return words


def _name_end(raw: list[Word], at: int) -> int:
    """Where the name that begins at ``at`` ends; ``at`` where none does."""
    text = raw[at].text
    if text[0] in '{"“«':
        return at + 1
    titled = at > 0 and raw[at - 1].text.lower() in TITLED
    if not _capital(text) or (at == 0 and _function(text)):
        return at
    if text[0].isdigit() and not (titled and at + 1 < len(raw) and _capital(raw[at + 1].text)):
        return at
    end = at + 1
    while end < len(raw) and (more := _joining(raw, end, titled=titled)):
        end += more
    while raw[end - 1].text in "&:!," and end - 1 > at:
        end -= 1
    return end


def _joining(raw: list[Word], at: int, *, titled: bool) -> int:
    """How many words from ``at`` on belong to the name before it."""
    word, after = raw[at].text, raw[at + 1].text if at + 1 < len(raw) else ""
    if _capital(word) or (word[0] == "(" and len(word) > 2) or (word in "&:" or (titled and word in "!,")):
        return 1
    if word in ("'s", "’s"):
        return int(titled and bool(after) and _capital(after))  # God's Gift
    if word == "," and after[:1].isupper() and after.lower() in _TITLES:
        return 2
    links = 0
    while at + links < len(raw) and raw[at + links].text in _NAME_LINKS and links < 3:
        links += 1
    return links + 1 if links and at + links < len(raw) and _capital(raw[at + links].text) else 0


def _capital(word: str) -> bool:
    return word[0].isupper() or word[0].isdigit()


def _function(word: str) -> bool:
    low = word.lower()
    return low in ASKING or low in DETERMINERS or low in PREPOSITIONS or low in BE | HAVE | DO | MODALS
