import { createHash } from "node:crypto"

/** The page's style, with a light and a dark colour scheme. */
export const STYLE = `
:root{color-scheme:light dark;--paper:#fcfbf8;--sheet:#fff;--ink:#24211d;--soft:#6a635a;--line:#e6e1d8;--shade:#f4f1ea;--ember:#a8431a;
--get:#2f6b4f;--post:#2b5d94;--put:#6c4a97;--patch:#8a5a0b;--delete:#a3302c;
--serif:"Iowan Old Style","Palatino Linotype",Palatino,"Book Antiqua",Georgia,serif;
--sans:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;--mono:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
@media (prefers-color-scheme:dark){:root{--paper:#171513;--sheet:#1d1a18;--ink:#e9e4dc;--soft:#a39b90;--line:#332e29;--shade:#24201d;--ember:#ee9162;
--get:#86c8a4;--post:#8fbcec;--put:#c0a3e6;--patch:#dcb566;--delete:#ee958e}}
*{box-sizing:border-box}
html{scroll-padding-top:5rem}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.55 var(--sans);-webkit-text-size-adjust:100%}
a{color:var(--ember);text-underline-offset:.15em;text-decoration-thickness:1px}
:focus-visible{outline:2px solid var(--ember);outline-offset:2px;border-radius:3px}
code,pre{font-family:var(--mono);font-size:.875em}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;z-index:2;padding:.5rem 1rem;background:var(--sheet)}
.page{display:grid;grid-template-columns:13rem minmax(0,1fr);gap:0 3.5rem;max-width:76rem;margin:0 auto;padding:0 2rem 6rem}
header{grid-column:1/-1;padding:4rem 0 2rem}
h1{margin:0;font:400 2.6rem/1.1 var(--serif);letter-spacing:-.015em}
header p{max-width:44rem;margin:.9rem 0 0;color:var(--soft)}
.intro{display:grid;grid-template-columns:repeat(auto-fit,minmax(15rem,1fr));gap:0 2.5rem;margin:1.8rem 0 0;padding-top:1.2rem;border-top:1px solid var(--line);font-size:.9rem}
.intro p{margin:0 0 .8rem}
.intro code{white-space:nowrap}
.intro strong{display:block;color:var(--ink);font-weight:600}
nav{position:sticky;top:0;align-self:start;max-height:100vh;overflow-y:auto;padding:1.35rem 0;font-size:.9rem}
nav ul{margin:0;padding:0;list-style:none}
nav a{display:flex;justify-content:space-between;padding:.22rem 0;color:var(--ink);text-decoration:none}
nav a:hover{color:var(--ember)}
nav span{color:var(--soft);font-variant-numeric:tabular-nums}
main{min-width:0}
form{position:sticky;top:0;z-index:1;display:flex;align-items:baseline;gap:1rem;padding:.9rem 0;background:var(--paper)}
form label{flex:1}
input{width:100%;padding:.6rem .8rem;border:1px solid var(--line);border-radius:7px;background:var(--sheet);color:inherit;font:inherit}
input::placeholder{color:var(--soft)}
output{min-width:5.5rem;color:var(--soft);font-size:.85rem;text-align:right;font-variant-numeric:tabular-nums}
output:empty{display:none}
.tag{margin:0 0 2.6rem}
h2{margin:1.4rem 0 .6rem;font:400 1.55rem/1.2 var(--serif)}
.operation,.record{border-top:1px solid var(--line)}
.tag>details:last-child{border-bottom:1px solid var(--line)}
summary{display:flex;flex-wrap:wrap;align-items:baseline;gap:.1rem 1.5rem;padding:.62rem .5rem;margin:0 -.5rem;border-radius:6px;cursor:pointer;list-style:none}
summary::-webkit-details-marker{display:none}
summary:hover{background:var(--shade)}
h3{display:flex;align-items:baseline;gap:.2rem;flex:1 1 24rem;min-width:0;margin:0;font-weight:400;font-size:1rem;overflow-wrap:anywhere}
h3 code{font-size:.86rem}
h3 i{font-style:normal;color:var(--soft)}
.method{flex:none;width:4.2rem;font:600 .74rem var(--mono);letter-spacing:.03em}
.get{color:var(--get)}.post{color:var(--post)}.put{color:var(--put)}.patch{color:var(--patch)}.delete{color:var(--delete)}
.what{flex:1 1 14rem;color:var(--soft);font-size:.9rem}
.what em,td em{color:var(--ember)}
.deprecated h3 code{text-decoration:line-through;text-decoration-color:var(--soft)}
[open]>summary .what{color:var(--ink)}
.inside{padding:.3rem 0 2rem 4.4rem}
.record .inside{padding-left:0}
.inside p{max-width:44rem;margin:.4rem 0}
dl{margin:.4rem 0 0;font-size:.9rem}
dl div{display:flex;gap:1rem;padding:.12rem 0}
dt{flex:none;width:7.5rem;color:var(--soft)}
dd{margin:0}
h4{margin:1.5rem 0 .35rem;font:600 .74rem var(--sans);letter-spacing:.07em;text-transform:uppercase;color:var(--soft)}
.wide{overflow-x:auto}
table{width:100%;border-collapse:collapse;font-size:.875rem}
th,td{padding:.36rem 1.2rem .36rem 0;border-top:1px solid var(--line);text-align:left;vertical-align:baseline;font-weight:400}
tr:first-child>*{border-top:0}
.fields{table-layout:fixed}
.fields th{width:34%;overflow-wrap:anywhere}
.fields .type{width:26%;color:var(--soft);overflow-wrap:break-word}
.answers th{width:4rem}
th.good{color:var(--get);font-weight:600}
td:last-child{padding-right:0}
abbr{color:var(--ember);text-decoration:none;cursor:help}
pre{margin:0;padding:.9rem 1.1rem;overflow-x:auto;border-radius:7px;background:var(--shade);line-height:1.6;white-space:pre}
[hidden]{display:none!important}
@media (max-width:56rem){.page{display:block;padding:0 1.1rem 4rem}header{padding:2.2rem 0 1rem}h1{font-size:2rem}
nav{position:static;max-height:none;padding:.4rem 0 1rem}nav ul{display:flex;flex-wrap:wrap;gap:0 1.2rem}nav a{gap:.4rem}
.inside{padding-left:0}dl div{display:block}.fields,.fields tbody,.fields tr,.fields th,.fields td{display:block}.fields tr{padding:.4rem 0;border-top:1px solid var(--line)}.fields tr:first-child{border-top:0}.fields th,.fields .type,.fields td{width:auto;padding:0;border:0}h3{flex-basis:100%}}
@media print{nav,form{display:none}.page{display:block}}
`

/** The page's only script: it filters by text, keeps the address in sync and opens what the address names. Without it the page stays readable. */
export const SCRIPT = `
const form = document.querySelector("form"), input = form.querySelector("input"), output = form.querySelector("output")
const folds = [...document.querySelectorAll(".tag>details")].map((fold) => ({ fold, text: (fold.id + " " + fold.firstElementChild.textContent).toLowerCase() }))
const parts = [...document.querySelectorAll(".tag")].map((part) => ({ part, entry: document.querySelector('nav a[href="#' + part.id + '"]').parentElement }))
const filter = () => {
  const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean)
  for (const { fold, text } of folds) fold.hidden = !words.every((word) => text.includes(word))
  for (const { part, entry } of parts) part.hidden = entry.hidden = !part.querySelector("details:not([hidden])")
  output.value = words.length ? folds.filter(({ fold }) => !fold.hidden).length + " of " + folds.length : ""
}
const reveal = () => {
  const fold = document.getElementById(location.hash.slice(1))
  if (fold?.localName !== "details") return
  if (fold.hidden) { input.value = ""; filter() }
  fold.open = true
  fold.scrollIntoView()
}
form.hidden = false
form.addEventListener("submit", (event) => event.preventDefault())
input.addEventListener("input", filter)
addEventListener("keydown", (event) => {
  if (event.key === "/" && event.target !== input && !event.ctrlKey && !event.metaKey && !event.altKey) { event.preventDefault(); input.focus() }
  if (event.key === "Escape" && event.target === input) { input.value = ""; filter() }
})
addEventListener("toggle", ({ target }) => { if (target.open && target.id) history.replaceState(null, "", "#" + target.id) }, true)
addEventListener("hashchange", reveal)
filter()
reveal()
`

const source = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

/** What a Content-Security-Policy must allow for the page, where one page is cached instead of one for each nonce. */
export const PAGE_SOURCES = { script: source(SCRIPT), style: source(STYLE) } as const
