import type { User } from "../../../core/actor.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import type { PageAnswer } from "../../../core/page.ts"
import { gitOf } from "../../../features/code/commits/revision.ts"
import { usersById } from "../../../features/code/repositories/store.ts"
import { compareCommits, interdiff, type Versions, versionsOf } from "../../../features/review/stacks/interdiff.ts"
import { findVersions, type Version } from "../../../features/review/stacks/store.ts"
import type { RangePair } from "../../../git/index.ts"
import { repositoryPath, withQuery } from "../../../web/address.ts"
import { empty, notice, personWithAvatar } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { time } from "../../../web/time.ts"
import { idLink } from "../../parts/code/commits-view.ts"
import { conversationPath } from "../../parts/conversation/call.ts"
import { choicesFor, fromOlderQuery } from "../../parts/diffs/choices.ts"
import { openDiff } from "../../parts/diffs/diffs.ts"
import { diffView } from "../../parts/diffs/view.ts"
import { pullPage, shapeOf } from "./frame.ts"
import type { FilesCall } from "./reviewing.ts"

/** The most versions that are listed; older ones are compared by their numbers in the address. */
const MOST_VERSIONS = 50

interface Call extends FilesCall {
  readonly query: FilesCall["query"] & { readonly from?: number; readonly to?: number }
}

export async function showVersions(call: Call): Promise<PageAnswer> {
  const older = fromOlderQuery(call)
  if (older) return older
  const shape = await shapeOf(call)
  const { db, pull, query } = call
  const rows = await findVersions(db, { pullId: pull.id, limit: MOST_VERSIONS, offset: 0 })
  const isCompared = rows.length > 1 || query.from !== undefined || query.to !== undefined
  const compared = isCompared ? await versionsOf(db, pull.id, query) : undefined
  const list = await versionList(call, rows, compared)
  if (!compared)
    return pullPage(
      shape,
      "commits",
      html`${list}${empty("history", t("One version"), t("When it is pushed again, its versions are compared here."))}`,
    )
  const shown = await comparison(call, compared)
  return pullPage(shape, "commits", html`${list}${shown.above}${shown.body}`, {
    modules: ["diff"],
    ...(shown.rest ? { rest: shown.rest } : {}),
  })
}

async function versionList(call: Call, rows: readonly Version[], compared: Versions | undefined): Promise<Html> {
  const people = await usersById(call.db, [...new Set(rows.map(({ pusher_id }) => pusher_id))])
  return html`
    <section class="card" aria-labelledby="versions-title">
      <div class="head"><h2 id="versions-title">Versions</h2></div>
      <ol class="rows" reversed>
        ${rows.map((version) => versionRow(call, version, people, compared))}
      </ol>
    </section>
  `
}

function versionRow(
  call: Call,
  { number, head_id, pusher_id, created_at }: Version,
  people: ReadonlyMap<number, User>,
  compared: Versions | undefined,
): Html {
  const here = `${conversationPath(call)}/versions`
  const last = compared?.after.number ?? 0
  const isCurrent = number === last
  const change = withQuery(here, { from: number - 1, to: number })
  const since = withQuery(here, { from: number, to: last })
  return html`
    <li>
      <div class="main">
        <h3 class="title">${t("Version {number}", { number: String(number) })}</h3>
        <p class="meta">
          <span>${personWithAvatar(people.get(pusher_id), 18)} pushed ${idLink(call, head_id)} ${time(created_at)}</span>
          ${isCurrent && html`<span>compared with version ${compared?.before.number}</span>`}
        </p>
      </div>
      ${number > 1 && !isCurrent && html`<a class="button small" href="${change}">What changed</a>`}
      ${number < last - 1 && html`<a class="button small" href="${since}">Since this one</a>`}
    </li>
  `
}

const KINDS = {
  same: ["skipped", "check", t("unchanged")],
  changed: ["pending", "pencil", t("changed")],
  removed: ["failure", "trash", t("removed")],
  added: ["success", "plus", t("added")],
} as const

async function comparison(call: Call, versions: Versions) {
  const { services, query, reader } = call
  const repository = gitOf(services, call)
  const { from, to, isClean } = await interdiff(services, repository, versions)
  const { pairs } = await compareCommits(services, repository, versions)
  const choices = choicesFor(call)
  const diff = await openDiff(services, { repository, from, to, whitespace: choices.whitespace })
  const at = repositoryPath(call)
  // The earlier version as it would be on the later base is no commit: there is nothing to link to.
  const shown = await diffView(services, diff, { url: reader.url, query, choices, page: call.page, oldAt: at, newAt: at })
  const above = html`
    <h2>What changed from version ${versions.before.number} to version ${versions.after.number}</h2>
    ${
      !isClean &&
      notice(
        "warn",
        t("The earlier version is in conflict with what is below the later one: changes that came from there are among these."),
      )
    }
    <ul class="plain checks">${pairs.map((pair) => pairRow(call, pair))}</ul>
  `
  return { above, ...shown }
}

function pairRow(call: Call, { kind, before, after, subject }: RangePair): Content {
  const [tone, name, words] = KINDS[kind]
  return html`
    <li>
      <span class="${tone}">${icon(name)}</span>
      <div>
        <span class="${tone}">${words}</span> <bdi>${subject}</bdi>${" "}
        <span class="small muted">
          ${before && idLink(call, before)} ${before && after && "→"} ${after && idLink(call, after)}
        </span>
      </div>
    </li>
  `
}
