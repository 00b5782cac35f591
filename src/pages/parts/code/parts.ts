import { Mode } from "../../../access/modes.ts"
import { unitMode } from "../../../access/permission.ts"
import { attribute, type Html, html } from "../../../core/html.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import type { Located, OnCode } from "../../../features/code/contents/locate.ts"
import { codePath, repositoryPath, revisionPath, withQuery } from "../../../web/address.ts"
import { shortcut } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { count } from "../../../web/time.ts"
import type { nearestPlace } from "./revisions.ts"

/** What several pages of code have above what they show. */

type View = Parameters<typeof nearestPlace>[1]

/** The path as links to the folders on the way. */
export const pathCrumbs = (call: OnCode, { revision, parts }: Located, view: View): Html =>
  html`
    <nav class="crumbs" aria-label="Path">
      <a class="strong" href="${codePath(call, view, revision)}">${call.repository.name}</a>
      ${parts.map(
        (part, index) =>
          html`
            <span class="sep">/</span>
            ${
              index === parts.length - 1
                ? html`<span class="strong" aria-current="page"><bdi>${part}</bdi></span>`
                : html`<a href="${codePath(call, view, revision, parts.slice(0, index + 1))}"><bdi>${part}</bdi></a>`
            }
          `,
      )}
    </nav>
  `

/**
 * A menu of the branches and tags, which the script `refs` fills when it is opened (`code/refs.ts`); without it there are the default branch, the present one, and
 * the pages of both. Whether they have the path is found out for the one that is chosen (`nearestPlace`).
 */
export function revisionMenu(call: OnCode, { revision, parts }: Located, view: View): Html {
  const at = repositoryPath(call)
  const { default_branch: main, branches_count: many } = call.repository
  const path = `${view}${parts.map((part) => `/${part}`).join("")}`
  const label = revision.kind === "commit" ? revision.name.slice(0, 10) : revision.name
  const isMain = revision.kind === "branch" && revision.name === main
  return html`
    <details
      class="menu starts refs"
      data-refs="${at}/ref-list/${revisionPath(revision)}${parts.length > 0 && `/${escapePath(parts.join("/"))}`}"
      data-view="${view}"
    >
      <summary class="button" ${shortcut("w")}>
        ${icon(REVISION_ICONS[revision.kind])}<span class="break">${label}</span>${icon("triangle-down")}
      </summary>
      <div class="menu-items">
        <form role="search" action="${at}/branches">
          ${parts.length > 0 && html`<input type="hidden" name="path" value="${path}">`}
          <input
            type="search"
            name="q"
            aria-label="Find a branch or tag"
            placeholder="Find a branch or tag"
            autocomplete="off"
            spellcheck="false"
          >
        </form>
        <div class="group">
          <a class="button small" href="${withQuery(`${at}/branches`, { path: parts.length > 0 ? path : undefined })}" data-kind="branch">
            Branches <span class="count">${count(many)}</span>
          </a>
          <a class="button small" href="${withQuery(`${at}/tags`, { path: parts.length > 0 ? path : undefined })}" data-kind="tag">Tags</a>
        </div>
        <div class="ref-list">
          ${revisionLink(call, { kind: "branch", name: main }, { view, parts, isDefault: true, isCurrent: isMain })}
          ${!isMain && revision.kind !== "commit" && revisionLink(call, revision, { view, parts, isCurrent: true })}
        </div>
      </div>
    </details>
  `
}

const REVISION_ICONS = { branch: "git-branch", tag: "tag", commit: "git-commit" } as const

interface RevisionLink {
  readonly view: View
  readonly parts: readonly string[]
  readonly isCurrent: boolean
  readonly isDefault?: boolean
}

/** A branch or tag in the menu. */
export const revisionLink = (
  call: OnCode,
  { kind, name }: Pick<Located["revision"], "kind" | "name">,
  { view, parts, isCurrent, isDefault = false }: RevisionLink,
): Html =>
  html`
    <a
      href="${codePath(call, view, { kind, name }, parts)}${parts.length > 0 && "?nearest=true"}"
      rel="nofollow"
      ${attribute("aria-current", isCurrent ? "true" : undefined)}
    >
      ${icon(isCurrent ? "check" : REVISION_ICONS[kind])}<bdi class="break">${name}</bdi>
      ${isDefault && html`<span class="chip">Default</span>`}
    </a>
  `

/** The addresses of the editor for a path: those who have signed in may propose a change, from a fork if need be; nothing where no commit can be made. */
export function editing({ actor, permission, repository, owner }: OnCode, { revision, parts }: Located) {
  if (actor.kind === "anonymous" || revision.kind !== "branch" || repository.is_archived === 1 || repository.is_mirror === 1)
    return undefined
  const at = (verb: "_edit" | "_new" | "_upload" | "_delete" | "_diffpatch"): string =>
    `${repositoryPath({ owner, repository })}/${verb}/${escapePath([revision.name, ...parts].join("/"))}`
  return { at, writes: unitMode(permission, repository, "repo.code") >= Mode.write }
}
