"""The words that tell sentence ends apart: German and English abbreviations, and words that often begin a sentence."""

from __future__ import annotations

_ABBREVIATIONS = """
Abb Abs Abt allg Anm Art Aufl Bd bes Best betr bez Bf bsp Bsp bspw bzgl bzw ca cf Chap Dipl Dr ebd Ed ed Eds eds Einl
engl etw ev evtl exkl Expl f Fa ff Fig Fr franz geb gegr gem gest gez ggf ggü griech Hbf Hr Hrn Hrsg hrsg inkl insb
Ing Inh ital Jg jd jdm jds jew Jh Jhd Kap kath lat Lfg lt Ltg max med mind Mio mm Mrd mtl Mwst näml Nr Nrn od orig
österr pers Pos Prof resp rd röm schweiz sog Sp St Std Str str Tab Tel teilw tgl tlw übers usf usw verh versch Verf
vgl Vgl vll vlt vorm vs wg Wg Wdh Zi Ziff zit zzgl zzt Jan Feb Mär Apr Jun Jul Aug Sep Sept Okt Oct Nov Dez Dec Mo Di
Mi Do Sa So al approx Ave Blvd Capt Col Corp dept Dept est Est etc fig Gen Gov Hon Inc Jr Lt Ltd Maj Mr Mrs Ms Mt mt
no No p par pp Pres Rep Rev sec Sec Sen Sgt Sr Tues Thurs Univ vol Vol
"""
_STARTERS = """
Aber Alle Alles Also Am An Auch Auf Aus Außerdem Bei Beim Bis Bitte Da Dabei Dadurch Dafür Damals Damit Danach Dann
Daraus Darin Darum Das Dass Davon Dazu Deine Den Denn Der Deshalb Deswegen Die Dies Diese Dieser Dieses Doch Dort Du
Durch Ein Eine Einen Einer Er Erst Es Für Gestern Gibt Hat Heute Hier Ich Ihr Ihre Im Immer In Ist Ja Jede Jeder
Jedoch Jetzt Kann Kein Keine Man Manche Mehr Mein Meine Mit Morgen Muss Nach Nein Nicht Noch Nun Nur Ob Oder Ohne
Schließlich Sehr Sein Seine Seit Seitdem Sie Siehe Sind So Solche Später Trotzdem Über Um Und Uns Unser Unter Viel
Viele Vielleicht Vom Von Vor Wann War Waren Warum Was Weil Welche Wenn Wer Wie Wir Wo Zu Zuerst Zum Zur Zwar A After
All Although And Are As At Because Before But By Can Did Do Does Every From Had Has Have He Her Here His How However I
If Is It Its Maybe Most My No Not Nothing Now On One Only Or Our She Since Some Such That The Their Then There
Therefore These They This Those Thus To Today Under Was We Were What When Where Which While Who Why Will With Yes Yet
You Your
"""

ABBREVIATIONS: tuple[str, ...] = tuple(_ABBREVIATIONS.split())
"""Written with a full stop that ends no sentence. Single letters need no entry."""

STARTERS: frozenset[str] = frozenset(_STARTERS.split())
"""A full stop after an ordinal or a unit ends the sentence if one of these follows."""
