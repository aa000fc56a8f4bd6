;;; emacs.el --- Run by emacs.mjs; prints `ok NAME' or `FAIL NAME' a check and leaves with a status  -*- lexical-binding: t -*-

(require 'cl-lib)
(require 'json)
(add-to-list 'load-path (getenv "SPILLWAY_EMACS"))
(require 'spillway)

(setq eglot-sync-connect 20
      eglot-autoshutdown nil
      eglot-send-changes-idle-time 0.01
      eglot-confirm-server-initiated-edits nil
      make-backup-files nil
      spillway-server-command (append (json-read-from-string (getenv "SPILLWAY_COMMAND")) nil))
(setq-default eglot-workspace-configuration '((:spillway . (:inlayHints (:pressure "all")))))

(defvar fails 0)

(defun check (name ok &optional detail)
  "Print whether the check NAME is OK, with DETAIL."
  (unless ok (setq fails (1+ fails)))
  (let ((text (replace-regexp-in-string "[\n\r]+" " " (format "%s" (or detail "")))))
    (princ (format "%s %s %s\n" (if ok "ok" "FAIL") name (substring text 0 (min 160 (length text)))))))

(defun wait-for (condition)
  "Serve messages until CONDITION gives something, for half a minute at most."
  (let ((end (+ (float-time) 30)) found)
    (while (and (not (setq found (funcall condition))) (< (float-time) end))
      (accept-process-output nil 0.02))
    found))

(defun at (line-pattern word)
  "Put the cursor on WORD in the first line that LINE-PATTERN matches."
  (goto-char (point-min))
  (re-search-forward line-pattern)
  (beginning-of-line)
  (search-forward word (line-end-position))
  (goto-char (1+ (match-beginning 0))))

(defun hover ()
  "The text of the hover at the cursor."
  (let ((contents (plist-get (spillway--ask :textDocument/hover) :contents)))
    (or (plist-get contents :value) "")))

(defun definition-line ()
  "The line that the definition at the cursor is in."
  (let ((found (xref-backend-definitions 'eglot (xref-backend-identifier-at-point 'eglot))))
    (and found (xref-location-line (xref-item-location (car found))))))

(defun line-with (pattern)
  "The line of the first match of PATTERN."
  (save-excursion (goto-char (point-min)) (re-search-forward pattern) (line-number-at-pos (match-beginning 0))))

(defun diagnostics (pattern)
  "Diagnostics of this buffer whose text has a match of PATTERN."
  (cl-remove-if-not (lambda (d) (string-match-p pattern (flymake-diagnostic-text d))) (flymake-diagnostics)))

(defun appear (pattern)
  "Wait for diagnostics with PATTERN."
  (wait-for (lambda () (diagnostics pattern))))

(defun vanish (pattern)
  "Wait until there is no diagnostic with PATTERN."
  (wait-for (lambda () (not (diagnostics pattern)))))

(defun edit (from to)
  "Replace the first FROM by TO, and tell the server."
  (goto-char (point-min))
  (re-search-forward from)
  (replace-match to t t)
  (eglot--signal-textDocument/didChange))

(defun open (file mode)
  "Visit FILE, which must be in MODE and have the server."
  (find-file file)
  (check (format "%s: the file has its mode" mode) (eq major-mode mode) major-mode)
  (if (eglot-current-server) (eglot--maybe-activate-editing-mode)
    (apply #'eglot (eglot--guess-contact)))
  (check (format "%s: the server runs" mode) (wait-for #'eglot-current-server))
  (unless (eglot-managed-p) (wait-for #'eglot-managed-p))
  (flymake-mode 1)
  (flymake-start))

(defun coloured (pattern face)
  "Whether the first match of PATTERN has FACE."
  (font-lock-ensure)
  (save-excursion
    (goto-char (point-min))
    (re-search-forward pattern)
    (eq (get-text-property (match-beginning 0) 'face) face)))

(defun code-line ()
  "The line of the window with compiled code that its cursor is in."
  (let ((window (get-buffer-window "*spill.ptx compiled*")))
    (and window
         (with-current-buffer (window-buffer window)
           (goto-char (window-point window))
           (buffer-substring-no-properties (line-beginning-position) (line-end-position))))))

(defun marked (face)
  "The first text of the compiled code that has FACE."
  (with-current-buffer "*spill.ptx compiled*"
    (let ((at (text-property-any (point-min) (point-max) 'face face)))
      (and at (buffer-substring-no-properties at (next-single-property-change at 'face nil (point-max)))))))

(defun test-compiled-code (source)
  "The code beside SOURCE, which it follows."
  (at "mul\\.wide" "mul")
  (spillway-show-compiled-code)
  (check "compiled code: at the code of the line" (string-match-p "IMAD" (or (code-line) "")) (code-line))
  (at "bar\\.sync" "bar")
  (spillway-show-compiled-code)
  (check "compiled code: again in the same window" (= (length (window-list)) 2) (window-list))
  (check "compiled code: at the code of another line" (string-match-p "BAR " (or (code-line) "")) (code-line))
  (check "compiled code: spills are marked" (string-match-p "^ST[LS]" (or (marked 'spillway-store) "")) (marked 'spillway-store))
  (check "compiled code: waits are marked" (marked 'spillway-wait) (marked 'spillway-wait))
  (edit "^\\.maxnreg 24" "// one\n// more\n.maxnreg 64")
  (check "compiled code: follows an edit"
         (and (wait-for (lambda () (with-current-buffer "*spill.ptx compiled*"
                                     (goto-char (point-min))
                                     (search-forward "spills 0" nil t))))
              (not (marked 'spillway-store)))
         (with-current-buffer "*spill.ptx compiled*" (buffer-substring (point-min) (line-end-position))))
  (check "compiled code: keeps its place" (string-match-p "BAR " (code-line)) (code-line))
  ;; not told of yet
  (edit "\\`" "// and\n// more\n")
  (with-selected-window (get-buffer-window "*spill.ptx compiled*") (spillway-go-to-source))
  (set-buffer source)
  (check "compiled code: RET goes to the source line"
         (and (eq (window-buffer) source) (string-match-p "bar\\.sync" (thing-at-point 'line)))
         (thing-at-point 'line))
  (edit "\\`// and\n// more\n" "")
  (edit "// one\n// more\n\\.maxnreg 64" ".maxnreg 24")
  (check "compiled code: spills come back" (wait-for (lambda () (marked 'spillway-store))))
  (let ((empty (expand-file-name "empty.ptx" (file-name-directory (getenv "SPILLWAY_FILE")))))
    (with-current-buffer (find-file-noselect empty)
      (wait-for #'eglot-managed-p)
      (spillway-status)
      (check "status: of a file without a function"
             (with-current-buffer (messages-buffer) (string-match-p "^NVIDIA, no function$" (buffer-string)))))))

(defun test-ptx ()
  (open (getenv "SPILLWAY_FILE") 'ptx-mode)
  (check "ptx: comments and directives have colours"
         (and (coloured "// " 'font-lock-comment-delimiter-face) (coloured "\\.version" 'font-lock-keyword-face)))
  (let ((spills (appear "is spilled")))
    (check "ptx: warns of spills" (= (length spills) 5) (and spills (flymake-diagnostic-text (car spills)))))
  (at "st\\.global\\.f32.*%f47" "%f47")
  (let ((text (hover))) (check "ptx: hover tells the type" (string-match-p "f32" text) text))
  (let ((line (definition-line)))
    (check "ptx: goes to the definition" (equal line (line-with "fma\\.rn\\.f32 \t%f47")) line))
  (spillway-status)
  (check "ptx: status" (with-current-buffer (messages-buffer) (string-match-p "limit 24" (buffer-string))))
  (check "ptx: inlay hints where this eglot has them"
         (if (fboundp 'eglot-inlay-hints-mode)
             (wait-for (lambda () (cl-some (lambda (o) (overlay-get o 'eglot--inlay-hint)) (overlays-in (point-min) (point-max)))))
           t)
         (if (fboundp 'eglot-inlay-hints-mode) "" "it has none"))
  (test-compiled-code (current-buffer))
  (goto-char (point-min))
  (re-search-forward "bar\\.sync")
  (forward-line 0)
  (spillway-next-peak)
  (check "ptx: next peak" (looking-at "bar\\.sync") (thing-at-point 'line))
  (edit "^\\.maxnreg 24" ".maxnreg 64")
  (check "ptx: the warnings go with the limit" (vanish "is spilled"))
  (edit "^\\.maxnreg 64" ".maxnreg 24")
  (check "ptx: and come back" (appear "is spilled")))

(defun test-gpir ()
  (open (getenv "SPILLWAY_GPIR_FILE") 'gpir-mode)
  (at "%nearness = rsqrt" "rsqrt")
  (let ((text (hover))) (check "gpir: hover on an operation" (string-match-p "1 / sqrt(a)" text) text))
  (at "%diffuse = max" "%cosine")
  (let ((line (definition-line)))
    (check "gpir: goes to the definition" (equal line (line-with "%cosine = add")) line))
  (edit "\\(%diffuse = max[^\n]*\\)%cosine" "%diffuse = max %cosines")
  (check "gpir: reports a name that is not there" (appear "'%cosines' is not defined"))
  (edit "%cosines" "%cosine")
  (check "gpir: and no longer once it is" (vanish "'%cosines' is not defined")))

(defun test-gen ()
  (open (getenv "SPILLWAY_GEN_FILE") 'gen-ir-mode)
  (check "gen-ir: warns of spills" (appear "is spilled"))
  (at "untyped_surface_read" "untyped_surface_read")
  (let ((text (hover))) (check "gen-ir: hover on an operation" (string-match-p "dwords of a surface" text) text))
  (at "mad(8).*vgrf2\\.xyzw" "vgrf2.xyzw")
  (let ((line (definition-line)))
    (check "gen-ir: goes to the definition" (equal line (line-with "vgrf2:UD")) line))
  (edit "^\\.grf_limit [0-9]+" ".grf_limit 40")
  (check "gen-ir: the warnings go with the limit" (vanish "is spilled")))

(condition-case fault
    (progn
      (test-ptx)
      (test-gpir)
      (test-gen)
      (let ((servers (hash-table-values eglot--servers-by-project)))
        (check "the server leaves when it is told to"
               (progn
                 (dolist (server (apply #'append servers)) (eglot-shutdown server nil 10))
                 (wait-for (lambda () (cl-notany #'identity (hash-table-values eglot--servers-by-project))))))))
  (error (check "runs to the end" nil fault)))
(dolist (buffer (buffer-list)) (with-current-buffer buffer (set-buffer-modified-p nil)))
(kill-emacs (min fails 1))
