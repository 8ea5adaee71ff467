//! Prompts in the languages of our users.

use super::{PromptCue, cue, goes_on, says_what_is_wanted};

fn check(expected: Option<PromptCue>, prompts: &[&str]) {
    for prompt in prompts {
        assert_eq!(cue(prompt), expected, "{prompt}");
    }
}

#[test]
fn prompts_that_ask_for_the_past_are_recognised() {
    check(
        Some(PromptCue::Asks),
        &[
            "okay, so we were working on ENT-109, I have lost track",
            "we used yesterday the test-repo skill and after that I get the following error",
            "do you remember what service we configured for staging logs?",
            "how did we solve the flaky login test?",
            "Wie haben wir das letztes Mal gelöst?",
            "weißt du noch, welchen Port der Proxy hat?",
            "tu te souviens du réglage du cache ?",
            "¿recuerdas qué puerto usa el proxy?",
            "você lembra qual porta o proxy usa?",
            "ti ricordi quale porta usa il proxy?",
            "weet je nog welke poort de proxy gebruikt?",
            "pamiętasz, którego portu używa proxy?",
            "помнишь, какой порт у прокси?",
            "上次我们是怎么修复登录问题的？",
            "前回のデプロイはどうやって直しましたか？",
            "지난번에 로그인 문제를 어떻게 고쳤죠?",
        ],
    );
}

#[test]
fn prompts_about_what_came_back_are_recognised() {
    check(
        Some(PromptCue::ComesBack),
        &[
            "uh oh - it just happened again",
            "the e2e tests are still failing",
            "ok the e2e tests are still failing - can we maybe go through the e2e tests locally to ensure all works properly without having to push to github and wait for the actions to fail",
            "Der Test schlägt schon wieder fehl",
            "les tests échouent toujours",
            "los tests siguen fallando",
            "os testes continuam falhando",
            "i test falliscono di nuovo",
            "de tests falen nog steeds",
            "testy nadal nie przechodzą",
            "тесты опять падают",
            "测试还是失败",
            "まだエラーが出ます",
            "테스트가 여전히 실패합니다",
        ],
    );
}

#[test]
fn prompts_that_take_work_for_granted_are_recognised() {
    check(
        Some(PromptCue::TakesForGranted),
        &[
            "theres a comment on the PR from coderabbit",
            "please push the e2e fixes up",
            "theres 4 new comments from the rabbit",
            "is the migration already done?",
            "bitte die Anmerkungen einarbeiten",
            "pousse les correctifs stp",
            "sube los arreglos por favor",
            "verwerk de opmerkingen",
            "wrzuć poprawki z tego, co było w PR",
            "запушь те правки",
        ],
    );
}

#[test]
fn prompts_that_begin_something_do_not_go_back() {
    check(
        None,
        &[
            "add a button to the page",
            "please push the button",
            "prepare the release",
            "write against the api",
            "yes",
            "against",
            "remember that the key must stay secret",
            "The comment on line 197 says that the read is limited, but io.ReadAll has no limit",
            "I do have already a configuration which creates a changelog",
            "start with the next phase",
            "switch to the phase 12 branch",
            "3 but apply the changes to this branch",
            "Implement the following plan:\n\n# Fix: read the file again\n\nthe fix is to read it",
            "Operation stopped by hook: Another session is active. You can continue here",
            "<task-notification>\nagain</task-notification>",
            "/deploy",
            "was steht hier in der Datei?",
            "füge einen Knopf hinzu",
            "ajoute un bouton à la page",
            "añade un botón",
            "добавь кнопку на страницу",
            "在页面上添加一个按钮",
            "ボタンを追加してください",
            "버튼을 추가해 주세요",
        ],
    );
}

#[test]
fn a_bare_continue_is_told_from_a_task() {
    for prompt in [
        "continue",
        "ok continue please",
        "continue implementation",
        "continue until all are done",
        "go on",
        "resume please",
        "weiter",
        "mach bitte weiter",
        "continúa",
        "продолжай",
        "继续",
        "続けてください",
        "계속해 주세요",
    ] {
        assert!(goes_on(prompt), "{prompt}");
    }
    for prompt in ["please push the button", "continue with the refactoring of the login page", "", "go"] {
        assert!(!goes_on(prompt), "{prompt}");
    }
}

#[test]
fn an_answer_belongs_to_the_prompt_before_it() {
    for prompt in [
        "yes",
        "7",
        "go on",
        "ok lets try it",
        "yes please do that",
        "continue until all are done",
        "да, давай",
        "ja bitte mach das",
        "好的",
        "はい",
        "네",
        "/gsd:progress",
        "计划",
    ] {
        assert!(!says_what_is_wanted(prompt), "{prompt}");
    }
    for prompt in [
        "please fix the login page",
        "why does the cart forget its items",
        "bitte den Warenkorb reparieren, danke",
        "请修复登录页面的错误",
        "ログイン画面を直してください",
        "로그인 화면을 고쳐 주세요",
    ] {
        assert!(says_what_is_wanted(prompt), "{prompt}");
    }
}
