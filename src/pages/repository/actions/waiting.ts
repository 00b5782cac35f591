import { Mode } from "../../../access/modes.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import { type Content, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import type { Request } from "../../../core/operation.ts"
import { ONLINE_SECONDS } from "../../../features/actions/runners/rules.ts"
import { findServing } from "../../../features/actions/runners/store.ts"
import type { Job } from "../../../features/actions/runs/store.ts"
import { parseStrings } from "../../../features/code/repositories/present.ts"
import { repositoryPath, withQuery } from "../../../web/address.ts"

/** Why a job waits: no runner fits, those that fit are away, or they are busy. */

export type Waiting = (job: Pick<Job, "state" | "labels">) => Content

/** Runners that are asked about. */
const MOST = 500

/** What is said beside each job that waits; one statement where one does. */
export async function waitingOf(
  call: OnRepository & Pick<Request, "services" | "db" | "actor">,
  jobs: readonly Pick<Job, "state" | "labels">[],
): Promise<Waiting> {
  if (!jobs.some(({ state }) => state === "waiting")) return () => false
  const { services, db, repository, owner } = call
  const runners = await findServing(db, { repositoryId: repository.id, ownerId: owner.id, limit: MOST })
  const since = services.now() - ONLINE_SECONDS
  const known = runners.map(({ labels, online_at }) => ({ labels: new Set(parseStrings(labels)), isOnline: online_at > since }))
  return ({ state, labels }) => {
    if (state !== "waiting") return false
    const wanted = parseStrings(labels)
    const fitting = known.filter((runner) => wanted.every((name) => runner.labels.has(name)))
    const names = wanted.length === 0 ? t("any labels") : html`<code>${wanted.join(", ")}</code>`
    const href = withQuery(`${repositoryPath(call)}/settings/actions/runners`, { labels: wanted.join(",") || undefined })
    const isManager = call.actor.kind === "user" && call.permission.mode >= Mode.owner
    if (fitting.length === 0)
      return html`
        <span class="small pending">
          No runner fits ${names}:${" "}
          ${isManager ? html`<a class="in-text" href="${href}#register">add one</a>` : t("an owner of the repository can add one")}
        </span>
      `
    if (!fitting.some(({ isOnline }) => isOnline))
      return html`
        <span class="small pending">
          The runners that fit ${names} are offline${isManager && html`: <a class="in-text" href="${href}">see the runners</a>`}
        </span>
      `
    return html`<span class="muted small">waiting for a runner with ${names}: all that fit are busy</span>`
  }
}
