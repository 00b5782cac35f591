import { onRepositoryAsOwner } from "../../../access/policies/repositories.ts"
import { memberOf } from "../../../core/check.ts"
import { addressOf, form } from "../../../core/forms/form.ts"
import { type Html, html } from "../../../core/html.ts"
import { named } from "../../../core/operation.ts"
import { type Page, page, type Shown } from "../../../core/page.ts"
import { runnerOperations } from "../../../features/actions/runners/operations.ts"
import type { ActionRunner } from "../../../features/actions/runners/records.ts"
import { presentRunner } from "../../../features/actions/runners/rules.ts"
import { findRunners, type Runner } from "../../../features/actions/runners/store.ts"
import { empty, notice, pager, state } from "../../../web/components.ts"
import { formButton, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { time } from "../../../web/time.ts"
import { inEveryPlace, type Place } from "./places.ts"

/** The machines that run jobs, of a repository, an organisation, a person and the site: the same page in each place. */

const stateOf = ({ status, busy, disabled }: ActionRunner): Html =>
  disabled
    ? state("neutral", "circle-slash", "Switched off")
    : status === "offline"
      ? state("neutral", "no-entry", "Offline")
      : busy
        ? state("running", "dot-fill", "Busy")
        : state("success", "check-circle", "Idle")

const scopeOf = ({ repository_id, owner_id }: Runner): string =>
  repository_id !== null ? "Of a repository" : owner_id !== null ? "Of a person or organization" : "Of the site"

const pagesIn = (place: Place): readonly Page[] => {
  const { id, name, at, access } = place
  const address = `${at}/actions/runners` as const

  const list: Page = page({
    id: `${id}Runners.list`,
    address: `GET ${address}`,
    access,
    // Whether one is online is a matter of the clock.
    changesWithTime: true,
    answer: async ({ services, db, path, page: rows, reader, draft, owning, framed }) => {
      const { rows: runners, total } = await findRunners(db, owning, undefined, rows)
      const now = services.now()
      return framed({
        part: "runners",
        title: "Runners",
        body: html`
          <h1>Runners</h1>
          <p class="muted">
            ${
              id === "admin"
                ? "All machines that run the jobs of workflows here, whosever they are."
                : html`Machines that run the jobs of workflows, besides those of the site. Only those ${place.whose} are listed.`
            }
          </p>
          ${
            runners.length === 0
              ? empty("server", "There are no runners", "A machine is listed here once it has registered.")
              : html`
                <ul class="rows">${runners.map((row) => runnerRow(row, path, now))}</ul>
                ${pager(reader.url, rows, total)}
              `
          }
          <h2 id="register">Add a runner</h2>
          <p>A runner registers with a token, on its own machine:</p>
          <pre tabindex="0" aria-label="How a runner registers">
            <code>act_runner register --instance ${services.site.rootUrl} --token TOKEN</code>
          </pre>
          ${formView(token, { path, draft, submit: "Show the registration token", look: "plain" })}
          <p class="muted">
            If somebody may have it who shouldn’t: a new one makes it useless. Runners that have registered stay.
          </p>
          ${formView(rotate, { path, draft, submit: "Replace the token", look: "danger" })}
        `,
      })
    },
  })

  const runnerRow = (row: Runner, path: Readonly<Record<string, string>>, now: number): Html => {
    const runner = presentRunner(row, now)
    const its = { ...path, runner_id: String(runner.id) }
    const which = html`<span class="hidden-text"> ${runner.name}</span>`
    return html`
      <li>
        ${icon("server")}
        <div class="main">
          <h2 class="title">
            <bdi>${runner.name}</bdi>
            ${runner.labels.map((each) => html` <span class="chip"><bdi>${each.name}</bdi></span>`)}
          </h2>
          <p class="meta">
            ${stateOf(runner)}${runner.ephemeral && html`<span>For one job</span>`}
            ${id === "admin" && html`<span>${scopeOf(row)}</span>`}
            <span>${row.online_at > 0 ? html`last heard of ${time(row.online_at, now)}` : "not heard of yet"}</span>
          </p>
        </div>
        ${formButton(edit, its, html`${runner.disabled ? "Switch on" : "Switch off"}${which}`, { disabled: String(!runner.disabled) })}
        ${formButton(remove, its, html`Delete${which}`)}
      </li>
    `
  }

  const shownToken = ({ path, record }: { readonly path: Readonly<Record<string, string>>; readonly record: unknown }): Shown => ({
    kind: "shown",
    title: "Registration token",
    width: "narrow",
    unlisted: true,
    isPrivate: true,
    body: html`
      <h1>Registration token</h1>
      <p>Runners ${place.whose} register with it, as many as you like.</p>
      <pre tabindex="0" aria-label="The token"><code>${String(memberOf(record, "token"))}</code></pre>
      ${notice("warn", "Who has it can add a machine that sees the code and the secrets of the jobs that it runs.")}
      <p><a href="${addressOf(list, path)}">Back to the runners</a></p>
    `,
  })

  const token = form({
    id: `${id}Runners.token`,
    address: `POST ${address}/token`,
    does: named(runnerOperations, `${id}CreateRunnerRegistrationToken`),
    on: list,
    shows: shownToken,
  })

  const rotate = form({
    id: `${id}Runners.rotateToken`,
    address: `POST ${address}/token/rotate`,
    does: named(runnerOperations, `${id}RotateRunnerRegistrationToken`),
    on: list,
    shows: shownToken,
  })

  const edit = form({
    id: `${id}Runners.switch`,
    address: `POST ${address}/{runner_id}`,
    does: named(runnerOperations, `update${name}Runner`),
    on: list,
    takes: ["disabled"],
    done: "Saved.",
  })

  const remove = form({
    id: `${id}Runners.delete`,
    address: `POST ${address}/{runner_id}/delete`,
    does: named(runnerOperations, `delete${name}Runner`),
    on: list,
    done: "Runner removed.",
  })

  return [list, token, rotate, edit, remove]
}

export const runnerPages: readonly Page[] = inEveryPlace(onRepositoryAsOwner, pagesIn)
