// The pages of docs/ as pages that a browser shows, for the playground: findings link to them.
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.mjs';

/** The anchor that GitHub makes of a heading. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

const style = `
:root { color-scheme: light dark; }
body { max-width: 48rem; margin: 2rem auto; padding: 0 1rem; font: 15px/1.55 system-ui, sans-serif; }
a { color: light-dark(#005fb8, #4daafc); }
h2 { margin-top: 2.2em; padding-top: 0.4em; border-top: 1px solid rgb(128 128 128 / 35%); font-size: 1.2em; }
h2:target { color: light-dark(#005fb8, #4daafc); }
code { font-size: 0.92em; }
pre { overflow: auto; padding: 0.8em 1em; border-radius: 4px; background: rgb(128 128 128 / 12%); }
img { max-width: 100%; }
table { display: block; overflow: auto; border-collapse: collapse; }
th, td { padding: 0.3em 0.6em; border: 1px solid rgb(128 128 128 / 35%); text-align: left; vertical-align: top; }
`;

const page = (title, body) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Spillway</title>
<style>${style}</style>
</head>
<body>
<p><a href="../">Playground</a></p>
${body}</body>
</html>
`;

/** Writes the pages and their pictures into a folder. */
export async function writeDocsPages(folder) {
  // the editor brings a parser along; it is of use to nothing else here
  const { marked } = await import(
    join(root, 'node_modules/monaco-editor/esm/vs/base/common/marked/marked.js')
  );
  marked.use({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        return `<a href="${href.replace(/^([\w-]+)\.md(?=#|$)/, '$1.html')}">${this.parser.parseInline(tokens)}</a>`;
      },
    },
  });
  const docs = join(root, 'docs');
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(docs).filter((file) => file.endsWith('.md'))) {
    const text = readFileSync(join(docs, name), 'utf8');
    const title = /^# (.+)$/m.exec(text)?.[1] ?? name;
    writeFileSync(join(folder, name.replace(/\.md$/, '.html')), page(title, marked.parse(text)));
  }
  cpSync(join(docs, 'images'), join(folder, 'images'), { recursive: true });
}
