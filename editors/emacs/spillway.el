;;; spillway.el --- Shader IR with the Spillway language server  -*- lexical-binding: t -*-

;; Package-Requires: ((emacs "28.1") (eglot "1.9"))

;;; Commentary:

;; Major modes for PTX, GP IR and Gen IR, and what eglot (part of Emacs from 29 on) has to know.  In init.el:
;;
;;   (add-to-list 'load-path "/path/to/spillway/editors/emacs")
;;   (require 'spillway)
;;   (dolist (hook '(ptx-mode-hook gpir-mode-hook gen-ir-mode-hook))
;;     (add-hook hook #'eglot-ensure))
;;
;; Settings are those of docs/settings.md:
;;
;;   (setq-default eglot-workspace-configuration
;;                 '((:spillway . (:inlayHints (:pressure "all") :targets (:nvidia (:arch "sm_90"))))))

;;; Code:

(require 'cl-lib)
(require 'eglot)
(require 'subr-x)

(defgroup spillway nil "Shader IR with the Spillway language server." :group 'languages)

(defcustom spillway-server-command '("spillway" "serve" "--stdio")
  "How to start the server."
  :type '(repeat string))

(defcustom spillway-is-trusted nil
  "Whether the server may start ptxas where the settings name it."
  :type 'boolean)

(defun spillway--syntax-table (semicolon)
  "A table in which // begins a comment, and a semicolon does where SEMICOLON."
  (let ((table (make-syntax-table)))
    (dolist (sign '(?% ?$ ?_ ?. ?@)) (modify-syntax-entry sign "_" table))
    (modify-syntax-entry ?/ ". 124" table)
    (modify-syntax-entry ?* ". 23b" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (when semicolon (modify-syntax-entry ?\; "<" table))
    table))

(defconst spillway--font-lock-keywords
  '(("^[ \t]*\\(\\.[a-zA-Z_]\\w*\\)" 1 font-lock-keyword-face)
    ("^[ \t]*\\([$%]?[A-Za-z_][A-Za-z0-9_$.]*\\):\\(?:[ \t]\\|$\\)" 1 font-lock-function-name-face)
    ("[%$@!]\\{1,2\\}[A-Za-z_][A-Za-z0-9_.]*" . font-lock-variable-name-face)
    ("\\.\\(?:[subf][0-9]+\\(?:x2\\)?\\|pred\\)\\_>" . font-lock-type-face))
  "Directives, labels, registers and types.
What a name means is for the server to say.")

(defun spillway--set-up (comment)
  "What all three modes have in common; COMMENT begins a comment."
  (setq-local font-lock-defaults '(spillway--font-lock-keywords))
  (setq-local comment-start (concat comment " "))
  (setq-local comment-end "")
  (add-hook 'eglot-managed-mode-hook #'spillway--follow-again nil t))

;;;###autoload
(define-derived-mode ptx-mode prog-mode "PTX"
  "PTX, the assembly of NVIDIA's virtual machine."
  :syntax-table (spillway--syntax-table nil)
  (spillway--set-up "//")
  (setq-local indent-tabs-mode t))

;;;###autoload
(define-derived-mode gpir-mode prog-mode "GP IR"
  "The intermediate representation of the Mali-400 geometry processor."
  :syntax-table (spillway--syntax-table t)
  (spillway--set-up ";"))

;;;###autoload
(define-derived-mode gen-ir-mode prog-mode "Gen IR"
  "What Mesa's i965 back-ends and Beignet print."
  :syntax-table (spillway--syntax-table t)
  (spillway--set-up ";"))

;;;###autoload
(progn
  (add-to-list 'auto-mode-alist '("\\.ptx\\'" . ptx-mode))
  (add-to-list 'auto-mode-alist '("\\.gpir\\'" . gpir-mode))
  (add-to-list 'auto-mode-alist '("\\.gen\\'" . gen-ir-mode)))

(defun spillway--contact (&rest _)
  "How eglot starts the server."
  (append spillway-server-command
          (list :initializationOptions (list :isTrusted (if spillway-is-trusted t :json-false)))))

;; One by one: up to version 1.9 eglot gives all files of a server the language of its first mode.
(dolist (mode '(ptx-mode gpir-mode gen-ir-mode))
  (add-to-list 'eglot-server-programs (cons mode #'spillway--contact)))

(defun spillway--ask (method &rest more)
  "Ask the server METHOD for the place of the cursor, with MORE parameters."
  (jsonrpc-request (or (eglot-current-server) (user-error "Spillway is not running in this buffer"))
                   method (append (eglot--TextDocumentPositionParams) more) :deferred method))

;;;###autoload
(defun spillway-status ()
  "Say what is modelled at the cursor: figures, architecture and limit."
  (interactive)
  (let ((status (spillway--ask :spillway/status)))
    (message "%s" (or (plist-get status :summary)
                      (format "%s, %s" (plist-get status :target) (plist-get status :model))))))

(defun spillway--go-to-site (kind direction)
  "Go to the nearest place of KIND (peak or spill) in DIRECTION (next or previous)."
  (let ((site (or (spillway--ask :spillway/nextSite :kind kind :direction direction)
                  (user-error "There is no %s in this file" kind))))
    (push-mark nil t)
    (goto-char (eglot--lsp-position-to-point (plist-get (plist-get site :range) :start)))
    (message "%s%s" (plist-get site :label)
             (if (eq (plist-get site :isWrapped) t) ", from the other end of the file" ""))))

;;;###autoload
(defun spillway-next-peak ()
  "Go to the next peak of pressure."
  (interactive)
  (spillway--go-to-site "peak" "next"))

;;;###autoload
(defun spillway-previous-peak ()
  "Go to the previous peak of pressure."
  (interactive)
  (spillway--go-to-site "peak" "previous"))

;;;###autoload
(defun spillway-next-spill ()
  "Go to the next instruction at which a spilled value is stored or reloaded."
  (interactive)
  (spillway--go-to-site "spill" "next"))

;;;###autoload
(defun spillway-previous-spill ()
  "Go to the previous instruction at which a spilled value is stored or reloaded."
  (interactive)
  (spillway--go-to-site "spill" "previous"))

(defface spillway-store '((t :inherit warning)) "Spilled values that are stored.")
(defface spillway-reload '((t :inherit warning)) "Spilled values that are loaded again.")
(defface spillway-move '((t :inherit font-lock-type-face)) "Copies that the source has not.")
(defface spillway-recomputed '((t :inherit font-lock-type-face)) "Values that are computed again.")
(defface spillway-wait '((t :inherit font-lock-constant-face)) "Instructions that wait.")
(defface spillway-empty '((t :inherit shadow)) "Slots in which nothing is done.")
(defface spillway-elided '((t :inherit font-lock-comment-face)) "Instructions that cost nothing.")

(defvar-local spillway--code nil "The answer of spillway/compiledCode that this buffer shows.")
(defvar-local spillway--source nil "The buffer that the code is of.")
(defvar-local spillway--code-buffer nil "The buffer with the code of this source.")

(defun spillway--draw (marks)
  "Give MARKS their faces, and their titles as help."
  (goto-char (point-min))
  (let ((line 0))
    (cl-loop for mark across marks
             for face = (intern-soft (concat "spillway-" (plist-get mark :kind)))
             do (forward-line (- (plist-get mark :line) line))
             (setq line (plist-get mark :line))
             (when (facep face)
               (let ((start (point)) (end (line-end-position)))
                 (add-text-properties (min end (+ start (plist-get mark :start))) (min end (+ start (plist-get mark :end)))
                                      (list 'face face 'help-echo (plist-get mark :title))))))))

(defun spillway--as-characters (text known)
  "TEXT with one character for each line; KNOWN has those that are given out."
  (concat (mapcar (lambda (line) (or (gethash line known) (puthash line (+ 256 (hash-table-count known)) known)))
                  (split-string text "\n"))))

(defun spillway--moved (lines old new)
  "Where the LINES of the text OLD are in NEW."
  (let ((known (make-hash-table :test #'equal)) (target (generate-new-buffer " *spillway*" t)))
    (unwind-protect
        (with-temp-buffer
          (insert (spillway--as-characters new known))
          (let ((source (current-buffer)))
            (with-current-buffer target
              (insert (spillway--as-characters old known))
              (let ((markers (mapcar (lambda (line) (copy-marker line t)) lines)))
                ;; where too much differs to find out in a second, they stay where they are
                (if (replace-buffer-contents source 1) (mapcar #'marker-position markers) lines)))))
      (kill-buffer target))))

(defun spillway--start-of (line)
  "The position at which LINE starts."
  (save-excursion (goto-char (point-min)) (forward-line (1- line)) (point)))

(defun spillway--fill (code)
  "Show CODE in this buffer; its cursors and windows stay at their instructions."
  (let* ((inhibit-read-only t)
         (text (plist-get code :text))
         (windows (get-buffer-window-list nil nil t))
         (places (cons (point) (cl-mapcan (lambda (w) (list (window-start w) (window-point w))) windows)))
         (lines (spillway--moved (mapcar #'line-number-at-pos places)
                                 (buffer-substring-no-properties (point-min) (point-max)) text)))
    (erase-buffer)
    (insert text)
    (spillway--draw (plist-get code :marks))
    (goto-char (spillway--start-of (pop lines)))
    (dolist (window windows)
      (set-window-start window (spillway--start-of (pop lines)) t)
      (set-window-point window (spillway--start-of (pop lines))))
    (setq spillway--code code)))

(defun spillway--take (buffer uri code)
  "Show CODE in BUFFER if that still shows the document URI."
  (when (and code (buffer-live-p buffer))
    (with-current-buffer buffer
      (when (equal uri (plist-get spillway--code :uri)) (spillway--fill code)))))

(defun spillway--newest (uri)
  "Parameters that ask for the newest text of URI."
  (list :textDocument (list :uri uri) :text t))

(defun spillway--update (buffer server)
  "Ask SERVER for the newest text of what BUFFER shows."
  (let ((uri (plist-get (buffer-local-value 'spillway--code buffer) :uri)))
    (jsonrpc-async-request server :spillway/compiledCode (spillway--newest uri)
                           :success-fn (lambda (code) (spillway--take buffer uri code))
                           :error-fn #'ignore)))

(cl-defmethod eglot-handle-notification
  (server (_method (eql spillway/compiledCodeChanged)) &key uri &allow-other-keys)
  "What SERVER said of URI is out of date."
  (dolist (buffer (buffer-list))
    (when (equal uri (plist-get (buffer-local-value 'spillway--code buffer) :uri))
      (spillway--update buffer server))))

(defun spillway--follow-again ()
  "Let the code of this source follow the server that has come to it."
  (when (and (eglot-managed-p) (buffer-live-p spillway--code-buffer))
    ;; once the server was told of the source
    (run-at-time 0 nil #'spillway--update spillway--code-buffer (eglot-current-server))))

(defun spillway--revert (&rest _)
  "Show the newest code in this buffer."
  (unless (buffer-live-p spillway--source) (user-error "The source of this code is closed"))
  (let ((uri (plist-get spillway--code :uri)))
    (spillway--take (current-buffer) uri
                    (with-current-buffer spillway--source
                      (jsonrpc-request (or (eglot-current-server) (user-error "Spillway is not running in the source"))
                                       :spillway/compiledCode (spillway--newest uri)
                                       :deferred :spillway/compiledCode)))))

(defun spillway--linked (line from)
  "The other line of the first link that has LINE.
FROM is 0 where LINE is the code's, 1 where it is the source's."
  (let ((links (plist-get spillway--code :links)))
    (cl-loop for i from 0 below (1- (length links)) by 2
             when (= (aref links (+ i from)) line) return (aref links (+ i (- 1 from))))))

(defun spillway-go-to-source ()
  "Go to the source line that the code under the cursor carries out.
It is that of the newest version of the source."
  (interactive)
  (spillway--revert)
  (let ((line (or (spillway--linked (1- (line-number-at-pos)) 0)
                  (user-error "This line stands for none of the source"))))
    (pop-to-buffer spillway--source)
    (push-mark nil t)
    (goto-char (point-min))
    (forward-line line)))

(defvar spillway-code-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'spillway-go-to-source)
    map))

(define-derived-mode spillway-code-mode special-mode "Spillway code"
  "Compiled code beside its source, which it follows."
  (setq buffer-undo-list t)
  (setq-local revert-buffer-function #'spillway--revert))

;;;###autoload
(defun spillway-show-compiled-code ()
  "Show what the function at the cursor is compiled to, at the code of this line.
RET goes to the source line."
  (interactive)
  (let ((code (or (spillway--ask :spillway/compiledCode :text t) (user-error "There is no function here")))
        (source (current-buffer))
        (source-line (1- (line-number-at-pos nil t))))
    (unless (buffer-live-p spillway--code-buffer)
      (setq spillway--code-buffer (generate-new-buffer (format "*%s compiled*" (buffer-name)))))
    (with-current-buffer spillway--code-buffer
      (unless (derived-mode-p 'spillway-code-mode) (spillway-code-mode))
      (setq spillway--source source)
      (spillway--fill code)
      (when-let ((line (spillway--linked source-line 1)))
        (goto-char (point-min))
        (forward-line line))
      (set-window-point (display-buffer (current-buffer)) (point)))))

(provide 'spillway)
;;; spillway.el ends here
