import type { OnPull } from "../../../access/policies/pulls.ts"
import type { Refusal } from "../../../core/errors.ts"
import { attribute, type Content, flagged, type Html, html } from "../../../core/html.ts"
import { type Text, t, Words } from "../../../core/language/message.ts"
import type { Request } from "../../../core/operation.ts"
import type { Shown } from "../../../core/page.ts"
import { type Conflicts, type Question, sideText } from "../../../features/review/conflicts/rules.ts"
import { path } from "../../../web/address.ts"
import { notice } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { sentence } from "../../../web/problem.ts"
import { conversationPath } from "../../parts/conversation/call.ts"
import { repositoryPage } from "../frame.ts"

/** The page of the conflicts: for each file what becomes of it, its text with the marks, and the sides to look at. */

export interface TypedFile {
  readonly path: string
  readonly how: string
  readonly content: string
  /** The objects of both sides that the text was made from. */
  readonly sides: string
}

export interface TypedResolution {
  readonly files: readonly TypedFile[]
  readonly head: string
  readonly base: string
  readonly message: string
}

interface Looked {
  /** Missing where they can't be told; then there is a reason. */
  readonly conflicts?: Conflicts
  readonly reason?: Text
  readonly typed?: TypedResolution
  readonly refusal?: Refusal
}

type Call = OnPull & Request

export async function conflictsPage(call: Call, looked: Looked): Promise<Shown> {
  const { conflicts, reason, refusal } = looked
  const { issue } = call
  const here = conversationPath(call)
  const obstacle = reason ?? conflicts?.obstacle
  const isResolved = conflicts?.questions.length === 0 && obstacle === undefined
  const hasQuestions = conflicts !== undefined && conflicts.questions.length > 0
  return repositoryPage(call, {
    tab: "pulls",
    title: t("Conflicts · #{number} {title}", { number: issue.number, title: issue.title }),
    unlisted: true,
    modules: hasQuestions ? ["conflicts"] : [],
    body: html`
      <div class="bar">
        <h1>Resolve conflicts</h1>
        <a class="button small" href="${here}">
          ${icon("git-pull-request")}<span>#${issue.number} <bdi>${issue.title}</bdi></span>
        </a>
      </div>
      ${refusal && notice("bad", html`Nothing is committed. ${sentence(refusal.said)}`)}
      ${
        obstacle !== undefined &&
        html`
          ${notice("info", html`They can’t be resolved in the web editor. ${sentence(obstacle)}`)}
          ${onCommandLine(call)}
        `
      }
      ${isResolved && notice("info", html`The branches no longer have conflicts. <a href="${here}">Back to the pull request</a>`)}
      ${hasQuestions && whatIsMerged(call)}${await resolutionForm(call, looked)}
    `,
  })
}

const whatIsMerged = ({ pull }: Call): Html =>
  html`
    <p class="muted">
      The commit merges <code><bdi>${pull.base_branch}</bdi></code> into${" "}
      <code><bdi>${pull.head_branch}</bdi></code>. In the texts, what stands above the line of equals signs is
      from <code><bdi>${pull.head_branch}</bdi></code>, what stands below from${" "}
      <code><bdi>${pull.base_branch}</bdi></code>; remove the conflict markers.
    </p>
  `

/** Nothing where there is neither a question nor a text to keep. */
async function resolutionForm(call: Call, { conflicts, typed, refusal }: Looked): Promise<Html | undefined> {
  const questions = conflicts?.questions ?? []
  const fault = /^file(\d+)$/.exec(refusal?.field ?? "")?.[1]
  const wrongPath = fault === undefined ? undefined : typed?.files[Number(fault)]?.path
  const shows = sidesView(call, conflicts)
  const files: Html[] = []
  for (const [index, question] of questions.entries()) {
    const before = typed?.files.find((file) => file.path === question.path)
    const wrong = question.path === wrongPath ? refusal : undefined
    files.push(fileView(call, { question, index, before, wrong, sides: await shows(question) }))
  }
  const kept = (typed?.files ?? []).filter((file) => file.content !== "" && !questions.some((question) => question.path === file.path))
  if (files.length + kept.length === 0) return undefined
  const here = conversationPath(call)
  return html`
    <form class="form editor" method="post" action="${here}/conflicts">
      <input type="hidden" name="head" value="${conflicts?.sides.tip}">
      <input type="hidden" name="base" value="${conflicts?.sides.from}">${files}${kept.map(keptView)}
      ${
        questions.length > 0 &&
        html`
          <div class="field">
            <label for="conflicts-message">Commit message</label>
            <input
              id="conflicts-message"
              name="message"
              value="${typed?.message}"
              maxlength="1000"
              dir="auto"
              placeholder="Merge branch '${call.pull.base_branch}' into ${call.pull.head_branch}"
            >
          </div>
          <div class="bar">
            <button class="primary">${icon("git-merge")}Commit merge</button>
            <a class="button quiet" href="${here}">Cancel</a>
          </div>
        `
      }
    </form>
  `
}

/** What was typed for a file that is no longer in conflict: it is sent along, and counts for nothing. */
const keptView = ({ path: name, content }: TypedFile, index: number): Html =>
  html`
    <section class="card" aria-labelledby="kept-${index}">
      <div class="head">
        <h2 id="kept-${index}"><code class="break"><bdi>${name}</bdi></code></h2>
      </div>
      <div class="inside stack tight">
        <p class="muted">It no longer has conflicts. This is what you typed; it is not committed.</p>
        <input type="hidden" name="path" value="${name}"><input type="hidden" name="how" value="none">
        <input type="hidden" name="sides" value="">
        <textarea name="content" class="mono" rows="8" readonly dir="ltr" aria-labelledby="kept-${index}">
          ${"\n"}${content}
        </textarea>
      </div>
    </section>
  `

interface FileView {
  readonly question: Question
  readonly index: number
  readonly before: TypedFile | undefined
  readonly wrong: Refusal | undefined
  readonly sides: Content
}

function fileView({ pull }: Call, { question, index, before, wrong, sides }: FileView): Html {
  const { path: name, ours, theirs, text } = question
  const id = `conflict-${index}`
  const made = `${ours?.mode} ${ours?.id} ${theirs?.mode} ${theirs?.id}`
  const isStale = before !== undefined && before.sides !== made
  const how = before?.how ?? (!(text instanceof Words) && ours && theirs ? "text" : "")
  return html`
    <section class="card conflict" aria-labelledby="${id}">
      <div class="head">
        <h2 id="${id}"><code class="break"><bdi>${name}</bdi></code></h2>
      </div>
      <div class="inside stack tight">
        ${isStale && notice("warn", t("This file has changed on one of the branches since you started. Check both sides again."))}
        ${aboutFile(pull, question)}
        <input type="hidden" name="path" value="${name}"><input type="hidden" name="sides" value="${made}">
        ${howField(pull, question, id, how, wrong)}
        ${
          text instanceof Words
            ? html`<input type="hidden" name="content" value="">`
            : textField(id, before && (before.content !== "" || how === "text") ? before.content : text.text, text.text, wrong)
        }
        ${
          isStale &&
          !(text instanceof Words) &&
          html`
            <details>
              <summary>The text with conflict markers</summary>
              <pre class="prose" tabindex="0"><code>${text.text}</code></pre>
            </details>
          `
        }
        ${sides}
      </div>
    </section>
  `
}

type Branches = Pick<Call["pull"], "head_branch" | "base_branch">

/** On which of the branches the file is there, and how they differ beside its text. */
function aboutFile({ head_branch, base_branch }: Branches, { ours, theirs, base, text, mode }: Question): Html {
  const [head, main] = [html`<bdi>${head_branch}</bdi>`, html`<bdi>${base_branch}</bdi>`]
  const onlyOne = ours ? head : main
  return html`
    ${
      !(ours && theirs) &&
      html`
        <p>
          ${
            base
              ? html`It is changed on ${onlyOne}, and deleted or renamed on ${ours ? main : head}.`
              : html`Only ${onlyOne} has it under this name.`
          }
        </p>
      `
    }
    ${text instanceof Words && html`<p class="muted">${text}</p>`}
    ${
      ours &&
      theirs &&
      ours.mode !== theirs.mode &&
      html`
        <p class="muted">
          Its mode is ${ours.mode} on ${head} and ${theirs.mode} on ${main}
          ${!(text instanceof Words) && html`; the text gets ${mode}`}.
        </p>
      `
    }
    ${
      !(text instanceof Words) &&
      text.isMixed &&
      html`
        <p class="muted">
          Some lines end in CR LF, and some in LF. With the text, all of them end in${" "}
          ${text.ends === "crlf" ? t("CR LF") : t("LF")}.
        </p>
      `
    }
  `
}

function howField(
  { head_branch, base_branch }: Branches,
  { ours, theirs, text }: Question,
  id: string,
  how: string,
  wrong: Refusal | undefined,
): Html {
  const options: readonly (readonly [value: string, label: Content] | undefined)[] = [
    how === "" || how === "none" ? ["", t("Choose")] : undefined,
    text instanceof Words ? undefined : ["text", t("The text below")],
    ours && ["head", t("What {head_branch} has", { head_branch })],
    theirs && ["base", t("What {base_branch} has", { base_branch })],
    ["delete", t("No file: delete it")],
  ]
  return html`
    <div class="field">
      <label for="${id}-how">Resolution</label>
      <select
        id="${id}-how"
        name="how"
        ${attribute("aria-invalid", wrong ? "true" : undefined)}
        ${attribute("aria-describedby", wrong && `${id}-fault`)}
      >
        ${options.map(
          (option) => option && html`<option value="${option[0]}" ${flagged("selected", option[0] === how)}>${option[1]}</option>`,
        )}
      </select>
      ${wrong && html`<span class="fault" id="${id}-fault">${sentence(wrong.said)}</span>`}
    </div>
  `
}

const textField = (id: string, content: string, marked: string, wrong: Refusal | undefined): Html =>
  html`
    <div class="field">
      <label for="${id}-text">Text</label>
      <textarea
        id="${id}-text"
        class="mono"
        name="content"
        rows="${Math.min(30, Math.max(8, marked.split("\n").length + 1))}"
        dir="ltr"
        spellcheck="false"
        data-conflict
        ${attribute("aria-describedby", wrong && `${id}-fault`)}
      >
        ${"\n"}${content}
      </textarea>
    </div>
  `

/** The most characters of the sides that a page shows. */
const MOST_SHOWN = 524_288

/** The texts of the sides, as far as a page takes them. */
function sidesView({ services, pull }: Call, conflicts: Conflicts | undefined): (question: Question) => Promise<Content> {
  let left = MOST_SHOWN
  return async ({ ours, theirs, base, text }) => {
    if (!conflicts || text instanceof Words) return undefined
    const one = async (name: Content, entry: Question["ours"]): Promise<Content> => {
      if (!entry) return undefined
      const shown = await sideText(services, conflicts.sides, entry)
      const fits = shown.length <= left
      left -= fits ? shown.length : 0
      return html`
        <details>
          <summary>${name}</summary>
          ${fits ? html`<pre class="prose" tabindex="0"><code>${shown}</code></pre>` : html`<p class="muted">Too large to show here.</p>`}
        </details>
      `
    }
    return html`
      ${await one(html`As <bdi>${pull.head_branch}</bdi> has it`, ours)}
      ${await one(html`As <bdi>${pull.base_branch}</bdi> has it`, theirs)}${await one(t("Common ancestor"), base)}
    `
  }
}

function onCommandLine({ services, owner, repository, pull }: Call): Html {
  const clone = `${services.site.rootUrl}${path(owner.name, repository.name)}.git`
  return html`
    <section aria-labelledby="by-hand">
      <h2 id="by-hand">On the command line</h2>
      <p class="muted">In a clone of the repository that has the head branch:</p>
      <pre class="hunk" tabindex="0">
        <span>git switch ${pull.head_branch}</span><span>git fetch ${clone} ${pull.base_branch}</span>
        <span>git merge FETCH_HEAD</span><span># edit the files, then for each of them: git add</span>
        <span>git commit</span><span>git push</span>
      </pre>
    </section>
  `
}
