# Spillway in Kakoune with kakoune-lsp 18 or newer: `source` this file from kakrc, after
#   eval %sh{kak-lsp}

hook global BufCreate .*[.]ptx %{ set-option buffer filetype ptx }
hook global BufCreate .*[.]gpir %{ set-option buffer filetype gpir }
hook global BufCreate .*[.]gen %{ set-option buffer filetype gen-ir }

hook -group lsp-filetype-spillway global BufSetOption filetype=(?:ptx|gpir|gen-ir) %{
    set-option buffer lsp_servers %{
        [spillway]
        command = "spillway"
        args = ["serve", "--stdio"]
        root_globs = [".git", ".hg"]
        settings_section = "spillway"
        [spillway.settings.spillway]
        inlayHints = { pressure = "peaks", minimumStall = 20 }
    }
}

hook global WinSetOption filetype=(?:ptx|gpir|gen-ir) %{
    lsp-enable-window
    lsp-inlay-hints-enable window
    lsp-inlay-code-lenses-enable window
    hook -once -always window WinSetOption filetype=.* %{
        lsp-inlay-code-lenses-disable window
        lsp-inlay-hints-disable window
    }
}
