//! The words with which people take back what an agent just did, in the languages of our users.
//!
//! The forms are those of `cue_phrases`: whole words in lower case, `*` for any ending, scripts without spaces as they are.
//!
//! Sources: prompts of real sessions for English, the phrases of everyday speech for the others.

/// Says no at the very beginning of a prompt; what follows says what is wanted instead.
#[rustfmt::skip]
pub(super) const OPENING: &[&str] = &[
    // English
    "no", "nope", "nah", "wrong", "not like that", "not that", "not this", "stop", "undo", "revert", "don't", "dont", "do not",
    "never", "actually no", "wait no", "please don't", "please do not", "please stop", "roll that back", "take that back",
    // German
    "nein", "falsch", "halt", "nicht so", "stopp", "mach das rückgängig", "rückgängig", "bitte nicht", "doch nicht", "lass das",
    // French
    "non", "faux", "arrête", "arrêtez", "annule", "pas comme ça", "pas ça", "n'utilise pas", "ne touche pas", "ne fais pas",
    // Spanish
    "no así", "mal", "para", "deshaz", "revierte", "así no", "no uses", "no toques", "no hagas",
    // Portuguese
    "não", "errado", "pare", "desfaça", "reverta", "assim não", "não use", "não toque", "não faça",
    // Italian
    "sbagliato", "fermati", "annulla", "non così", "non usare", "non toccare", "non fare",
    // Dutch
    "nee", "fout", "verkeerd", "niet zo", "maak ongedaan", "draai terug", "gebruik geen", "niet doen",
    // Polish
    "nie", "źle", "cofnij", "przestań", "nie tak", "nie używaj", "nie ruszaj", "nie rób",
    // Russian
    "нет", "неправильно", "неверно", "стоп", "отмени", "верни", "не так", "не надо", "не используй", "не трогай", "не делай",
    // Chinese
    "不是", "不对", "不要", "别", "错了", "撤销", "回滚", "停",
    // Japanese
    "違う", "違います", "いや", "いいえ", "やめて", "戻して", "元に戻", "ではなく", "じゃなくて",
    // Korean
    "아니", "아니요", "틀렸", "하지 마", "하지마", "되돌려", "멈춰", "그게 아니",
];

/// Openings that agree, or answer a question of the agent, although they begin with a no.
#[rustfmt::skip]
pub(super) const HARMLESS: &[&str] = &[
    "no problem", "no worries", "no need", "no issues", "no idea", "no rush", "no thanks", "no that's fine", "no that is fine",
    "no it's fine", "no that's all", "never mind", "nevermind", "stop here", "stop there", "no changes", "no more", "no further",
    "no comments", "no hurry", "don't worry", "kein problem", "keine ahnung", "nein danke", "pas de problème", "non merci",
    "no hay problema", "no pasa nada", "no gracias", "sem problema", "nessun problema", "no grazie", "geen probleem",
    "nie ma problemu", "нет проблем", "没问题", "不用", "問題ない", "괜찮아",
];

/// Takes something back anywhere in the first sentences.
#[rustfmt::skip]
pub(super) const TAKING_BACK: &[&str] = &[
    // English
    "i said", "i told you", "i've told you", "i already told", "i already said", "as i said", "like i said", "i asked you",
    "i asked for", "not what i asked", "not what i meant", "not what i wanted", "that's not what", "that is not what",
    "that's wrong", "that is wrong", "that's not right", "that is not right", "that's incorrect", "don't touch", "do not touch",
    "shouldn't have", "should not have", "should have used", "should have been", "you were supposed to", "why did you",
    "why are you", "you keep", "stop using", "stop doing", "stop adding", "stop changing", "stop running", "undo that",
    "undo this", "undo your", "undo the", "revert that", "revert this", "revert your", "revert the", "roll back", "put it back",
    "put that back", "change it back", "how many times", "once again you", "again you", "you forgot", "you ignored",
    "you missed", "instead of what you", "not supposed to", "please use", "from now on", "in the future", "we don't use",
    "we do not use", "we never", "we always",
    // German
    "ich habe gesagt", "ich sagte", "hab ich gesagt", "habe ich gesagt", "ich hatte gesagt", "ich habe dir gesagt", "fass nicht an",
    "nicht anfassen", "das ist falsch", "das stimmt nicht", "so nicht", "mach das rückgängig", "rückgängig machen", "warum hast du",
    "wieso hast du", "du solltest", "du hättest", "hör auf", "schon wieder falsch", "wie oft", "du hast vergessen", "ab jetzt",
    "in zukunft", "wir verwenden", "wir benutzen",
    // French
    "j'ai dit", "je t'ai dit", "je vous ai dit", "comme je l'ai dit", "ne touche pas", "c'est faux", "ce n'est pas ce que", "pourquoi as tu",
    "pourquoi tu as", "tu aurais dû", "arrête de", "annule ça", "reviens en arrière", "tu as oublié", "combien de fois", "désormais",
    "à l'avenir", "on n'utilise pas", "nous n'utilisons pas",
    // Spanish
    "te dije", "ya te dije", "como dije", "he dicho", "no toques", "está mal", "eso no es", "por qué has", "por qué hiciste", "deberías haber",
    "deja de", "deshaz eso", "revierte", "olvidaste", "cuántas veces", "de ahora en adelante", "no usamos",
    // Portuguese
    "eu disse", "já disse", "como eu disse", "não mexa", "não toque", "está errado", "não foi isso", "por que você", "deveria ter",
    "pare de", "desfaça", "reverta", "você esqueceu", "quantas vezes", "de agora em diante", "não usamos",
    // Italian
    "ho detto", "ti ho detto", "come ho detto", "non toccare", "è sbagliato", "non è quello che", "perché hai", "avresti dovuto",
    "smettila di", "annulla", "hai dimenticato", "quante volte", "d'ora in poi", "non usiamo",
    // Dutch
    "ik zei", "ik heb gezegd", "zoals ik zei", "blijf af van", "niet aanraken", "dat is fout", "dat klopt niet", "waarom heb je",
    "je had moeten", "stop met", "draai dat terug", "maak dat ongedaan", "je bent vergeten", "hoe vaak", "vanaf nu", "we gebruiken geen",
    // Polish
    "mówiłem", "mówiłam", "powiedziałem", "powiedziałam", "jak mówiłem", "nie dotykaj", "nie ruszaj", "to jest źle", "to nie tak",
    "dlaczego zrobiłeś", "powinieneś był", "przestań", "cofnij to", "zapomniałeś", "ile razy", "od teraz", "nie używamy",
    // Russian
    "я сказал", "я сказала", "я говорил", "я же", "как я сказал", "не трогай", "это неправильно", "это не то", "зачем ты", "почему ты",
    "надо было", "нужно было", "перестань", "хватит", "отмени это", "верни как", "ты забыл", "сколько раз", "впредь", "мы не используем",
    // Chinese
    "我说过", "我说了", "我说的是", "跟你说过", "不要碰", "别碰", "别动", "不是这样", "为什么要", "你怎么", "应该用", "撤销", "改回", "你忘了",
    "多少次", "以后", "我们不用",
    // Japanese
    "と言った", "言いました", "と言いました", "触らない", "触らないで", "間違って", "そうじゃない", "なぜ", "なんで", "べきだった", "戻して",
    "忘れて", "何回", "今後は", "使わないで",
    // Korean
    "말했", "라고 했", "건드리지", "잘못", "그게 아니라", "왜 ", "했어야", "되돌려", "잊었", "몇 번", "앞으로는", "쓰지 마", "사용하지 마",
];
