;;; spillway.el --- Shader IR with the Spillway language server  -*- lexical-binding: t -*-

;; Package-Requires: ((emacs "26.3") (eglot "1.9"))

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
  (setq-local comment-end ""))

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
                   method (append (eglot--TextDocumentPositionParams) more)))

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

(defvar-local spillway--links nil "Line of the code, line of the source, and so on; zero-based.")
(defvar-local spillway--source nil "The buffer that the code is of.")

(defun spillway-go-to-source ()
  "Go to the source line of the line of compiled code under the cursor."
  (interactive)
  (let* ((line (1- (line-number-at-pos)))
         (found (cl-loop for i from 0 below (1- (length spillway--links)) by 2
                         when (= (aref spillway--links i) line) return (aref spillway--links (1+ i)))))
    (unless found (user-error "This line stands for none of the source"))
    (pop-to-buffer spillway--source)
    (goto-char (point-min))
    (forward-line found)))

(defvar spillway-code-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'spillway-go-to-source)
    map))

(define-derived-mode spillway-code-mode special-mode "Spillway code"
  "Compiled code beside its source.")

;;;###autoload
(defun spillway-show-compiled-code ()
  "Show what the function at the cursor is compiled to.
RET goes to the source line."
  (interactive)
  (let ((code (or (spillway--ask :spillway/compiledCode :text t) (user-error "There is no function here")))
        (source (current-buffer)))
    (with-current-buffer (get-buffer-create (format "*%s compiled*" (plist-get code :function)))
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert (plist-get code :text)))
      (spillway-code-mode)
      (setq spillway--links (plist-get code :links)
            spillway--source source)
      (goto-char (point-min))
      (display-buffer (current-buffer)))))

(provide 'spillway)
;;; spillway.el ends here
