import { siteAdministrator } from "../../access/policies/site.ts"
import { type Html, html } from "../../core/html.ts"
import { page } from "../../core/page.ts"
import {
  avatar,
  buttonForm,
  choices,
  dot,
  empty,
  field,
  filterForm,
  label,
  menu,
  notice,
  pager,
  person,
  shares,
  sideNav,
  state,
  table,
  tabs,
  toCopy,
} from "../../web/components.ts"
import { icon } from "../../web/icon.ts"
import { STYLE_PATH } from "../../web/layout.ts"
import { bytes, count, duration, plural, time } from "../../web/time.ts"

/** Every component on one page, for those who build pages; the tests of colours and accessibility look at it too. */
export const stylePage = page({
  id: "site.style",
  address: `GET ${STYLE_PATH}`,
  access: siteAdministrator,
  answer: ({ services }) => {
    const now = services.now()
    return {
      kind: "shown",
      title: "Components",
      unlisted: true,
      body: html`
        <h1>Components</h1>
        ${typography(now)}${controls()}${marks()}${navigation()}${lists(now)}
      `,
    }
  },
})

const someone = { id: 1, name: "annw", avatar: "a1".repeat(16) }

const typography = (now: number): Html =>
  html`
    <section class="stack">
      <h2>Text</h2>
      <p>
        A paragraph with <a href="#text">a link</a>, <code>code</code>, <kbd>Ctrl</kbd>, <mark>marked words</mark>,${" "}
        <span class="muted">muted words</span> and <strong>strong ones</strong>. ${plural(2, "file")},${" "}
        ${bytes(123456)}, ${count(12345)}, ${duration(3725)}, ${time(now - 7200, now)}.
      </p>
      <div class="prose">
        <h2>Rendered text</h2>
        <p>Some <a href="#a">prose</a> with <code>code</code>.</p>
        <ul>
          <li>one</li>
          <li>two</li>
        </ul>
        <blockquote>
          <p>quoted</p>
        </blockquote>
        <pre tabindex="0"><code>npm ci &amp;&amp; npm start</code></pre>
        <table>
          <thead>
            <tr>
              <th>Name</th>
              <th>Value</th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <td>a</td>
              <td>1</td>
            </tr>
          </tbody>
        </table>
      </div>
    </section>
  `

const controls = (): Html =>
  html`
    <section class="stack">
      <h2>Buttons and fields</h2>
      <div class="bar">
        <button class="primary">Primary</button><button>Plain</button><button class="danger">Danger</button>
        <button class="quiet">Quiet</button><button class="small">Small</button><button disabled>Disabled</button>
        <a class="button" href="#b">${icon("plus")} Link</a>${buttonForm("#", "A form")}
        ${menu("Menu", html`<a href="#m">First</a><a href="#n" aria-current="true">Second</a>`)}
      </div>
      <div class="form">
        ${field({ label: "A field", name: "one", hint: "What is expected here." })}
        ${field({ label: "With a fault", name: "two", value: "x", fault: "Must have at least 2 characters." })}
        <label class="check"><input type="checkbox" checked> A choice</label>
      </div>
      ${toCopy("shown-once", "Copy the text")}
      ${filterForm("#", "words", "Search things", {}, "find")}
    </section>
  `

const marks = (): Html =>
  html`
    <section class="stack">
      <h2>States and marks</h2>
      <div class="bar">
        ${state("open", "issue-opened", "Open", true)}${state("closed", "issue-closed", "Closed", true)}
        ${state("merged", "git-merge", "Merged", true)}${state("draft", "git-pull-request-draft", "Draft", true)}
        ${state("pending", "clock", "Pending", true)}${state("info", "info", "Note", true)}
      </div>
      <div class="bar">
        ${state("success", "check", "passed")}${state("failure", "x", "failed")}
        ${state("running", "dot-fill", "running")}${state("skipped", "skip", "skipped")}
        <span class="count">12</span><span class="count loud">3</span>${label("kind/bug", "ee0701")}
        ${label("good first issue", "7057ff", { href: "#l" })}<span class="chip topic">topic</span>${dot("#3178c6")}${" "}
        TypeScript ${avatar(someone)} ${person(someone)}
      </div>
      ${shares([
        { name: "TypeScript", color: "#3178c6", part: 70 },
        { name: "CSS", color: "#663399", part: 30 },
      ])}
      <progress value="40" max="100" aria-label="Progress">40 %</progress>
    </section>
  `

const navigation = (): Html =>
  html`
    <section class="stack">
      <h2>Navigation</h2>
      ${tabs("Tabs", [
        { href: "#1", text: "Code", icon: "code", current: true },
        { href: "#2", text: "Issues", icon: "issue-opened", count: 12 },
      ])}
      ${choices("Choices", [
        { href: "#3", text: "Open", current: true },
        { href: "#4", text: "Closed" },
      ])}
      ${pager("/-/style", { number: 2, limit: 20, offset: 20 }, 100)}
      <div class="columns start">
        <div>
          ${sideNav("Parts", [
            { href: "#5", text: "General", icon: "gear", current: true },
            { href: "#6", text: "People", icon: "people", count: 3 },
          ])}
        </div>
        <div>
          ${notice("good", "It worked.")}${notice("bad", "It did not work.")}${notice("warn", "Look at this.")}
          ${empty("inbox", "Nothing here", "This is where things would be.", html`<a class="button primary" href="#7">Make one</a>`)}
        </div>
      </div>
    </section>
  `

const lists = (now: number): Html =>
  html`
    <section class="stack">
      <h2>Lists</h2>
      <ul class="rows">
        <li>
          ${icon("issue-opened")}
          <div class="main">
            <h3 class="title"><a href="#8">A row</a> ${label("bug", "ee0701")}</h3>
            <p class="meta"><span>#1 opened ${time(now - 90_000, now)}</span></p>
          </div>
        </li>
        <li>
          ${icon("issue-closed")}
          <div class="main">
            <h3 class="title"><a href="#9">Another row</a></h3>
            <p class="meta"><span>#2</span></p>
          </div>
        </li>
      </ul>
      <div class="card">
        <header><strong>A card</strong></header>
        <div class="inside">
          <dl class="facts">
            <dt>Name</dt>
            <dd>value</dd>
          </dl>
        </div>
      </div>
      ${table(
        "A table",
        ["Name", { number: "Size" }],
        html`
          <tr>
            <td>file.txt</td>
            <td class="number">12</td>
          </tr>
        `,
      )}
    </section>
  `
