;;; emacs-packages.el --- Where Debian has eglot for Emacs before 29  -*- lexical-binding: t -*-

(require 'package)
(add-to-list 'package-directory-list "/usr/share/emacs/site-lisp/elpa")
(package-initialize)
