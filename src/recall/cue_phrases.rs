//! The words with which people go back to earlier work, in the languages of our users.
//!
//! Each phrase is given as whole words in lower case, without hyphens; `*` stands for any ending. Scripts without spaces,
//! and Korean, whose particles are written onto the word, are searched as they are.
//!
//! Sources: prompts of real sessions for English, the phrases of everyday speech for the others. A word that means
//! something else in another language of the list (`as`, `o`, `die` before a verb) is left out or only part of a phrase.

/// Asks for the past in words: when it was, what was decided, whether one remembers.
#[rustfmt::skip]
pub(super) const ASKING: &[&str] = &[
    // English
    "do you remember", "you remember", "remember how", "remember what", "remember when",
    "last time", "last session", "last week", "last month", "yesterday", "the other day", "earlier today", "this morning",
    "where were we", "where we were", "where we left", "where did we", "where are we with", "where we're up to",
    "left off", "lost track", "we were working", "we worked on", "we did", "we decided", "we discussed",
    "we talked about", "we agreed", "we used", "we tried", "we had", "did we", "have we", "what was the name",
    "how did we", "why did we", "what did we", "when did we", "previous session", "earlier session", "prior session",
    "was there any work", "has there been", "have there been", "as before", "like before", "as we did", "like we did",
    "you told me", "previously", "in the past", "a while ago", "back then", "some time ago",
    // German
    "letztes mal", "letzten mal", "letzte woche", "letzter woche", "gestern", "vorgestern", "neulich",
    "letzte sitzung", "letzten sitzung", "letzte session", "letzten session", "wo waren wir", "stehen geblieben",
    "stehengeblieben", "erinnerst du dich", "weißt du noch", "hatten wir", "wir hatten", "wie haben wir",
    "was haben wir", "warum haben wir", "haben wir schon", "haben wir das", "wir besprochen", "wir entschieden",
    "wir beschlossen", "wir gemacht", "vorhin", "damals", "wie zuvor", "wie vorher", "wie früher",
    // French
    "la dernière fois", "d'hier", "hier on", "hier nous", "hier tu", "hier j'ai", "avant hier", "la semaine dernière", "où en étions", "où en était", "où on en était",
    "te souviens", "vous souvenez", "te rappelles", "on avait", "nous avions", "on a fait", "on a décidé",
    "avons nous", "a t on", "session précédente", "dernière session", "comme avant", "l'autre jour", "auparavant",
    "précédemment", "tout à l'heure",
    // Spanish
    "la última vez", "ayer", "anteayer", "la semana pasada", "dónde nos quedamos", "donde nos quedamos",
    "dónde quedamos", "recuerdas", "te acuerdas", "hicimos", "decidimos", "hablamos de", "habíamos", "acordamos",
    "sesión anterior", "sesión pasada", "última sesión", "como antes", "el otro día", "anteriormente",
    // Portuguese
    "última vez", "ontem", "anteontem", "semana passada", "onde paramos", "onde estávamos", "você lembra", "te lembras",
    "lembra se", "lembra do", "lembra da", "fizemos", "tínhamos", "conversamos", "combinamos", "sessão anterior",
    "sessão passada", "outro dia",
    // Italian
    "l'ultima volta", "ultima volta", "ieri", "l'altro ieri", "settimana scorsa", "dove eravamo", "ti ricordi",
    "vi ricordate", "abbiamo fatto", "abbiamo deciso", "avevamo", "sessione precedente", "ultima sessione", "come prima",
    "in precedenza", "l'altro giorno",
    // Dutch
    "vorige keer", "laatste keer", "gisteren", "eergisteren", "vorige week", "waar waren we", "waar we gebleven",
    "gebleven waren", "weet je nog", "herinner je", "we hadden", "hadden we", "hebben we toen", "vorige sessie",
    "zoals eerder", "net als eerder", "destijds",
    // Polish
    "ostatnim razem", "ostatnio", "wczoraj", "przedwczoraj", "zeszłym tygodniu", "gdzie skończyliśmy",
    "czym skończyliśmy", "gdzie byliśmy", "pamiętasz", "zrobiliśmy", "ustaliliśmy", "zdecydowaliśmy", "mieliśmy",
    "robiliśmy", "poprzednia sesja", "poprzedniej sesji", "ostatniej sesji", "poprzednio",
    // Russian
    "прошлый раз", "прошлом разе", "вчера", "позавчера", "прошлой неделе", "чем остановились", "чём остановились",
    "где остановились", "где мы остановились", "мы остановились", "помнишь", "помните", "мы делали", "мы сделали",
    "мы решили", "мы обсуждали", "мы договорились", "прошлой сессии", "предыдущей сессии", "недавно", "как раньше",
    // Chinese
    "上次", "上一次", "昨天", "前天", "上周", "上星期", "之前", "以前", "还记得", "記得", "记得", "上個", "上个会话",
    "我们做过", "我们讨论", "我们决定", "当时", "刚才",
    // Japanese
    "前回", "昨日", "一昨日", "先週", "この前", "この間", "以前", "覚えて", "前に", "先日", "さっき", "どこまで",
    // Korean
    "지난번", "지난 번", "저번", "어제", "그저께", "지난주", "지난 주", "이전에", "전에", "기억", "아까", "지난 세션",
    "이전 세션", "어디까지",
];

/// Says that something came back, or never went away.
#[rustfmt::skip]
pub(super) const COMING_BACK: &[&str] = &[
    // English
    "again", "still failing", "still fails", "still fail", "still broken", "still not", "still some", "still getting",
    "still get", "still seeing", "still see", "still happens", "still happening", "still there", "still the same",
    "still have", "still doesn't", "still does not", "still don't", "still can't", "still won't", "still red",
    "sitll failing", "keeps failing", "keep failing", "keeps happening", "keeps breaking", "keeps crashing", "keep getting", "same error",
    "same issue", "same problem", "same bug", "same failure", "came back", "comes back", "is back", "not fixed",
    "wasn't fixed", "third time", "3rd time", "3rd error", "third error", "second time", "2nd time", "once more",
    // German
    "wieder", "immer noch", "noch immer", "noch nicht", "erneut", "nochmal", "nochmals", "noch einmal",
    "derselbe fehler", "denselben fehler", "dasselbe problem", "gleiche fehler", "gleichen fehler", "gleiche problem",
    "nach wie vor", "weiterhin",
    // French
    "encore une fois", "encore", "toujours pas", "toujours en échec", "à nouveau", "de nouveau", "même erreur",
    "même problème", "même bug", "échoue toujours", "échouent toujours", "plante toujours",
    // Spanish
    "otra vez", "de nuevo", "nuevamente", "sigue fallando", "siguen fallando", "sigue sin", "siguen sin", "sigue roto",
    "sigue igual", "todavía", "aún falla", "aún fallan", "aún no", "mismo error", "mismo problema", "mismo fallo",
    // Portuguese
    "de novo", "novamente", "outra vez", "ainda falha", "ainda falham", "ainda não", "continua falhando",
    "continuam falhando", "continua a falhar", "mesmo erro", "mesmo problema",
    // Italian
    "di nuovo", "ancora una volta", "ancora", "nuovamente", "stesso errore", "stesso problema", "continua a fallire",
    "continuano a fallire",
    // Dutch
    "opnieuw", "alweer", "weer", "nog steeds", "nog altijd", "nog niet", "dezelfde fout", "hetzelfde probleem",
    "blijft falen", "blijven falen",
    // Polish
    "znowu", "znów", "ponownie", "jeszcze raz", "nadal", "wciąż", "ciągle", "dalej nie", "ten sam błąd",
    "ten sam problem", "tym samym błędem",
    // Russian
    "снова", "опять", "ещё раз", "еще раз", "всё ещё", "все еще", "всё еще", "по прежнему", "та же ошибка",
    "ту же ошибку", "та же проблема", "до сих пор", "так и не",
    // Chinese
    "又出现", "又失败", "又报错", "又挂", "又坏", "再次", "仍然", "还是失败", "还是报错", "还是不行", "还没", "依然",
    "同样的错误", "一样的错误", "同一个错误", "还在报", "老问题",
    // Japanese
    "また失敗", "また落ち", "また同じ", "またエラー", "また出", "再び", "まだ失敗", "まだ落ち", "まだエラー", "まだ直",
    "相変わらず", "同じエラー", "同じ問題", "再発", "依然",
    // Korean
    "또 실패", "또 발생", "또 에러", "또 오류", "또 안", "다시", "여전히", "아직도", "계속 실패", "같은 오류", "같은 에러",
    "같은 문제", "똑같은",
];

/// Tells the agent to go on, without saying with what.
#[rustfmt::skip]
pub(super) const GOING_ON: &[&str] = &[
    "continue", "go on", "carry on", "resume", "keep going", "keep on", "proceed", "pick up",
    "weiter", "mach weiter", "weitermachen", "fahre fort", "fortfahren", "fortsetzen",
    "continuer", "continuons", "continuez", "poursuis", "poursuivons", "reprends", "reprenons",
    "continúa", "continua", "continuar", "continuemos", "sigue", "sigamos", "prosigue",
    "prossiga", "prosseguir", "retome", "segue",
    "continuare", "continuiamo", "prosegui", "proseguiamo", "riprendi", "riprendiamo", "vai avanti",
    "ga verder", "ga door", "verder", "doorgaan", "hervat",
    "kontynuuj", "kontynuujmy", "kontynuować", "dalej", "wznów", "idź dalej",
    "продолжай", "продолжи", "продолжить", "продолжаем", "продолжим", "дальше", "возобнови",
    "继续", "繼續", "接着", "続けて", "続き", "継続", "再開", "계속", "이어서", "재개",
];

/// Points at a thing that the hearer is taken to know.
#[rustfmt::skip]
pub(super) const POINTING: &[&str] = &[
    "the", "that", "those", "our", "der", "die", "das", "den", "dem", "unser*", "jene*", "le", "la", "les", "cette",
    "notre", "nos", "el", "los", "las", "ese", "esa", "esos", "esas", "nuestr*", "esse", "essa", "esses", "essas", "noss*",
    "il", "gli", "quel*", "nostr*", "het", "onze", "te", "tamte", "tych", "эти", "те", "этот", "тот", "наш*",
];

/// Nouns of work in progress; a prompt that speaks of `the fixes` takes for granted which ones.
#[rustfmt::skip]
pub(super) const WORK: &[&str] = &[
    "pr", "prs", "mr", "mrs", "fix", "fixes", "comments", "review", "reviews", "changes", "commits", "failure", "failures",
    "work", "todo", "todos", "migration", "findings", "refactoring", "refactor",
    "kommentar*", "änderung*", "korrektur*", "anmerkung*", "rückmeldung*", "umbau", "arbeit",
    "commentaire*", "correctif*", "correction*", "revue*", "changement*", "remarque*", "travail",
    "comentario*", "arreglo*", "correcci*", "revisi*", "cambios", "trabajo", "comentário*", "correç*", "mudança*",
    "alteraç*", "trabalho", "commenti", "correzion*", "modifich*", "lavoro", "opmerking*", "wijziging*", "werk",
    "poprawk*", "uwag*", "zmian*", "komentarz*", "правк*", "замечани*", "изменени*", "комментари*", "пр",
];

/// Phrases that take a pull request, its review or earlier changes for granted, whatever comes before them.
#[rustfmt::skip]
pub(super) const TAKING_FOR_GRANTED: &[&str] = &[
    "this pr", "this pull request", "the pull request", "my pr", "on the pr", "new comments", "more comments",
    "comments from", "comment from", "comments on the", "points raised by", "review comments", "review findings",
    "you did", "you said", "you made", "you added", "you changed", "you wrote", "you fixed",
    "prior", "previous", "earlier", "unfinished",
    "dieser pr", "diesem pr", "im pr", "am pr", "neue kommentare", "die vorige", "vorherige*", "bisherige*",
    "cette pr", "sur la pr", "nouveaux commentaires", "précédent*",
    "este pr", "en el pr", "nuevos comentarios", "anterior*", "no pr", "na pr", "do pr", "novos comentários",
    "nella pr", "della pr", "nuovi commenti", "precedent*", "deze pr", "de pr", "de opmerkingen", "de wijzigingen", "de fixes", "in de pr", "nieuwe opmerkingen", "eerdere",
    "w pr", "w tym pr", "poprzedni*", "wcześniejsz*", "nowe komentarze", "в pr", "к pr", "в этом pr", "предыдущ*",
    "новые комментарии", "прошл*",
    "那个pr", "这个pr", "pr的评论", "pr 的评论", "评审意见", "那个修复", "那些修改", "あのpr", "そのpr", "このpr",
    "prのコメント", "レビューコメント", "レビュー指摘", "あの修正", "その修正", "그 pr", "이 pr", "pr에 달린", "pr 코멘트",
    "리뷰 코멘트", "그 수정", "수정사항",
];

/// Already, in a question: whether something was done before.
pub(super) const ALREADY: &[&str] = &[
    "already", "schon", "bereits", "déjà", "ya", "já", "già", "al", "już", "уже", "已经", "もう", "이미",
    "벌써",
];

/// Words of agreement and address that say nothing about what is wanted.
#[rustfmt::skip]
pub(super) const FILLERS: &[&str] = &[
    "ok", "okay", "yes", "yeah", "yep", "yup", "sure", "please", "pls", "now", "and", "so", "just", "well", "hmm", "hmmm",
    "great", "good", "fine", "cool", "perfect", "nice", "thanks", "thank", "right", "then", "lets", "let's", "let", "us",
    "can", "could", "you", "we", "i", "it", "that", "this", "them", "the", "a", "an", "to", "do", "go", "ahead", "up", "all",
    "is", "are", "be", "with", "for", "of", "in", "on", "me", "my", "no", "not", "try", "want", "would", "will", "sounds",
    "looks", "think", "until", "done",
    "ja", "bitte", "gut", "gerne", "jetzt", "mach", "mal", "das", "es", "und", "nein", "danke", "passt",
    "oui", "s'il", "te", "plaît", "vas", "y", "d'accord", "merci", "non", "sí", "si", "vale", "por", "favor", "claro",
    "sim", "tá", "bom", "obrigado", "va", "bene", "per", "favore", "grazie", "goed", "graag", "alsjeblieft", "prima",
    "tak", "proszę", "dobrze", "dobra", "да", "давай", "пожалуйста", "хорошо", "ок", "нет", "спасибо",
];
