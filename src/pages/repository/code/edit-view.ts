import { findReachable } from "../../../access/policies/repositories.ts"
import type { Typed } from "../../../core/forms/form.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { type Text, t, Words } from "../../../core/language/message.ts"
import type { Draft, Page, Shown } from "../../../core/page.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { unixLines } from "../../../core/text/lines.ts"
import type { EditableText } from "../../../features/code/contents/editable.ts"
import { repositoryPath } from "../../../web/address.ts"
import { notice } from "../../../web/components.ts"
import { type Field, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { type EditTarget, mayPush, type OnEditor, patchBranch, readText } from "../../parts/code/edit-target.ts"
import { changesView } from "../../parts/diffs/changes-view.ts"
import { renderText } from "../../parts/texts.ts"
import { repositoryPage } from "../frame.ts"
import { fileTools, styleAt } from "./edit-tools.ts"

/** The pages on which a file is edited, and the fields of every commit. */

const MARKDOWN = /\.(?:md|markdown|mdown|mkd|livemd)$/i

export const hidden = (name: string, value: string): Field => ({ kind: "hidden", name, value })

export const shownIn = (call: OnEditor, title: Text, body: Content, modules: readonly string[] = []): Promise<Shown> =>
  repositoryPage(call, { tab: "code", title, unlisted: true, modules, body: html`${body}` })

export function cancel(call: OnEditor, { branch, parts, located, entry }: EditTarget): Html {
  const below = entry && parts.length > 0 ? `/${escapePath(parts.join("/"))}` : ""
  const there = located && `/src/branch/${escapePath(branch)}${below}`
  return html`<a class="button quiet" href="${repositoryPath(call)}${there}">Cancel</a>`
}

/** The fields of every commit. */
export async function commitFields(
  call: OnEditor,
  target: Pick<EditTarget, "branch">,
  placeholder: Text,
  proposes = false,
): Promise<readonly Field[]> {
  const pushes = await mayPush(call, target.branch)
  return [
    hidden("branch", target.branch),
    { kind: "line", name: "message", label: t("Commit message"), placeholder, maxlength: 1000 },
    { kind: "text", name: "description", label: t("Description"), rows: 3, placeholder: t("Add an optional description") },
    {
      kind: "line",
      name: "new_branch",
      label: t("Branch"),
      required: true,
      maxlength: 255,
      value: pushes && !proposes ? target.branch : await patchBranch(call),
      hint: pushes
        ? html`Another name than <bdi>${target.branch}</bdi> makes a new branch from it and starts a pull request.`
        : html`<bdi>${target.branch}</bdi> is protected. A new branch is made from it and starts a pull request.`,
    },
  ]
}

interface Editing {
  /** The form that the page has. */
  readonly to: Page
  readonly draft?: Draft | undefined
  /** What was typed, also without a refusal. */
  readonly typed?: Typed
  /** The button that was pressed: `preview` or `changes`. */
  readonly look?: string
  /** In a fork, for the repository that it comes from. */
  readonly proposes?: boolean
  readonly given?: Readonly<Record<"filename" | "content" | "message", string | undefined>>
}

/** A file as its form has it: what is there now, and what was typed. */
interface Edited {
  /** The path of the file that is there; undefined for a new one. */
  readonly name: string | undefined
  readonly now: string
  readonly values: Readonly<Record<"path" | "content" | "message", string>>
  /** The object that the text was made from; empty for a new file. */
  readonly sha: string
  readonly ends: string
  readonly upstream: string
  /** Pictures that wait for the commit, as `browser/pictures.ts` names them. */
  readonly staged: readonly string[]
  /** Others have changed it, or deleted it, since the text was begun. */
  readonly isStale: boolean
  readonly isGone: boolean
  readonly isMixed: boolean
}

export async function editor(call: OnEditor, target: EditTarget, editing: Editing): Promise<Shown> {
  const { to, draft, look } = editing
  const { branch, parts, entry } = target
  const name = entry !== undefined && entry.mode !== "40000" ? parts.join("/") : undefined
  const there = name === undefined ? NO_TEXT : await readText(call, target)
  const typed = editing.typed ?? draft?.typed
  const reason = typeof there === "string" || there instanceof Words ? there : undefined
  if (reason !== undefined && !typed) return replacing(call, target, reason)
  const file = await edited(call, target, typeof there === "string" || there instanceof Words ? NO_TEXT : there, {
    ...editing,
    name,
    typed,
  })
  const { values, isStale, isGone } = file
  const isNew = name === undefined && file.sha === ""
  const isMarkdown = MARKDOWN.test(values.path)
  const style = await styleAt(call, target, values.path.split("/"))
  return shownIn(
    call,
    name === undefined ? t("New file") : t("Edit {name}", { name }),
    html`
      <h1>
        ${name === undefined ? t("New file") : html`Edit <bdi>${name}</bdi>`} <span class="muted">on <bdi>${branch}</bdi></span>
      </h1>
      ${await warnings(call, file)}${look && (await looked(call, branch, look, file))}
      ${formView(to, {
        path: { ...call.path, filepath: call.path["filepath"] ?? "" },
        record: values,
        draft: isStale || isGone ? undefined : draft,
        name: "form editor",
        isLong: true,
        submit: t("Commit"),
        fields: [
          ...fieldsOf(
            file,
            typed !== undefined,
            fileTools(call, branch, { field: `${to.id.replaceAll(".", "-")}-content`, style, isMarkdown, isNew }),
          ),
          ...(await commitFields(call, target, name === undefined ? t("Add file") : t("Update {name}", { name }), file.upstream !== "")),
        ],
        beside: html`
          ${lookButton(call, "changes", html`${icon("diff")}Show changes`)}
          ${lookButton(call, "preview", html`${icon("eye")}Preview`)}${cancel(call, target)}
        `,
      })}
      ${isMarkdown && html`<p class="muted small">Markdown is supported.</p>`}
    `,
    ["editor"],
  )
}

const NO_TEXT: EditableText = { text: "", ends: "lf", isMixed: false }

/** The page of a file that has no text for a form. */
const replacing = (call: OnEditor, { branch, parts }: EditTarget, reason: Text): Promise<Shown> =>
  shownIn(call, t("Edit {value}", { value: parts.join("/") }), [
    html`<h1>Edit <bdi>${parts.join("/")}</bdi></h1>`,
    notice(
      "info",
      html`
        ${reason} It can be replaced by another one:${" "}
        <a href="${repositoryPath(call)}/_upload/${escapePath([branch, ...parts.slice(0, -1)].join("/"))}">
          upload it
        </a>.
      `,
    ),
  ])

async function edited(
  call: OnEditor,
  { parts, entry }: EditTarget,
  there: EditableText,
  {
    draft,
    typed,
    given,
    proposes = false,
    name,
  }: Pick<Editing, "draft" | "given" | "proposes"> & {
    readonly name: string | undefined
    readonly typed: Typed | undefined
  },
): Promise<Edited> {
  const one = (field: string): string | undefined => unixLines(typed?.[field]?.[0])
  const isStale = draft?.refusal.field === "sha"
  const isGone = draft?.refusal.kind === "notFound" && (one("sha") ?? "") !== "" && name === undefined
  const folder = parts.map((part) => `${part}/`).join("")
  return {
    name,
    now: there.text,
    values: {
      path: one("path") ?? name ?? `${folder}${given?.filename ?? ""}`,
      content: one("content") ?? given?.content ?? there.text,
      message: one("message") ?? given?.message ?? "",
      ...(one("description") !== undefined && { description: one("description") }),
      ...(one("new_branch") !== undefined && { new_branch: one("new_branch") }),
    },
    sha: (isStale || isGone ? undefined : one("sha")) ?? (name === undefined ? "" : (entry?.id ?? "")),
    ends: one("ends") ?? there.ends,
    staged: typed?.["staged"] ?? [],
    upstream: one("upstream") ?? (proposes ? await upstreamOf(call) : ""),
    isStale,
    isGone,
    isMixed: there.isMixed,
  }
}

const warnings = async (call: OnEditor, { isStale, isGone, isMixed, now, ends, values }: Edited): Promise<Html> =>
  html`
    ${
      isStale &&
      html`
        ${notice(
          "warn",
          t(
            "This file was changed by someone else since you started editing. Below are your changes to the current version; committing replaces it.",
          ),
        )}
        ${await changesView(call.services, values.path, [now, values.content])}
        <details class="stack">
          <summary>Current content</summary>
          <pre class="prose" tabindex="0"><code>${now}</code></pre>
        </details>
      `
    }
    ${isGone && notice("warn", t("This file or its branch was deleted since you started editing. Committing creates the file again."))}
    ${
      isMixed &&
      notice(
        "info",
        t("Some lines end in CR LF, and some in LF. A commit makes all of them end in {value}.", {
          value: ends === "crlf" ? t("CR LF") : "LF",
        }),
      )
    }
  `

const fieldsOf = ({ name, sha, ends, upstream, staged }: Edited, isTyped: boolean, tools: Html): readonly Field[] => [
  {
    kind: "line",
    name: "path",
    label: t("Path"),
    required: true,
    maxlength: 4096,
    hint: t("Missing folders are created. Another path moves the file."),
  },
  { kind: "text", name: "content", label: t("Content"), rows: 24, isCode: true, drafted: { base: sha, isTyped } },
  { kind: "content", content: tools },
  hidden("sha", sha),
  hidden("from_path", name ?? ""),
  hidden("ends", ends),
  hidden("upstream", upstream),
  ...staged.map((each) => hidden("staged", each)),
]

const lookButton = (call: OnEditor, word: string, label: Content): Html =>
  html`
    <button
      name="look"
      value="${word}"
      formaction="${repositoryPath(call)}/_preview/${escapePath(call.path["filepath"] ?? "")}"
      formnovalidate
    >
      ${label}
    </button>
  `

/** What a button asks to see of the text before it is committed. */
async function looked(
  call: OnEditor,
  branch: string,
  look: string,
  { now, values: { path: name, content: after } }: Edited,
): Promise<Html> {
  if (look !== "preview")
    return html`
      <section class="stack" id="looked" aria-labelledby="look">
        <h2 id="look">Changes</h2>
        ${await changesView(call.services, name, [now, after])}
      </section>
    `
  const shown = MARKDOWN.test(name)
    ? await renderText(call, after, {
        style: "document",
        file: { at: `branch/${escapePath(branch)}`, folder: name.split("/").slice(0, -1).join("/") },
      })
    : html`
      <div class="code" role="region" aria-label="${name}" tabindex="0">
        ${(await call.services.highlighter.lines({ name, text: after })).lines.map(
          (line, index) => html`<div data-n="${index + 1}">${line}${"\n"}</div>`,
        )}
      </div>
    `
  return html`
    <section class="card" id="looked" aria-labelledby="look">
      <div class="head">
        <h2 id="look">Preview</h2>
      </div>
      <div class="inside">${shown}</div>
    </section>
  `
}

/** The repository that a fork comes from, as addresses have it; empty where the caller can't see it. */
async function upstreamOf({ db, actor, repository }: OnEditor): Promise<string> {
  const found = repository.fork_of_id === null ? undefined : await findReachable(db, actor, repository.fork_of_id)
  return found ? `${found.owner.name}/${found.repository.name}` : ""
}
