import { type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { AUDIT, publicName, type Switch } from "../../../features/actions/external/names.ts"
import { eventsOf } from "../../../features/events/webhooks/present.ts"
import type { DeliveryRequest, DeliveryResponse, TYPES } from "../../../features/events/webhooks/records.ts"
import type { DeliverySummary, Webhook } from "../../../features/events/webhooks/store.ts"
import { notice, state, table } from "../../../web/components.ts"
import type { Field, Option } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { bytes, time } from "../../../web/time.ts"

/** The kinds of receivers as people know them. */
export const TYPE_NAMES: Readonly<Record<(typeof TYPES)[number], Text>> = {
  gitea: t("Any program"),
  slack: t("Slack"),
  discord: t("Discord"),
  msteams: t("Microsoft Teams"),
  matrix: t("Matrix"),
  telegram: t("Telegram"),
  dingtalk: t("DingTalk"),
  feishu: t("Feishu"),
  wechatwork: t("WeCom"),
  packagist: t("Packagist"),
  gogs: t("Any program that expects Gogs"),
}
export const isType = (word: string): word is keyof typeof TYPE_NAMES => Object.hasOwn(TYPE_NAMES, word)
export const typeName = (word: string): Text => (isType(word) ? TYPE_NAMES[word] : word)

const EVENT_GROUPS: readonly (readonly [label: Text, events: readonly (readonly [Switch | typeof AUDIT, Text, Text])[]])[] = [
  [
    t("Code"),
    [
      ["push", t("Pushes"), t("Commits were pushed to a branch or tag.")],
      ["create", t("Branch or tag creation"), t("A branch or tag was created.")],
      ["delete", t("Branch or tag deletion"), t("A branch or tag was deleted.")],
      ["fork", t("Forks"), t("The repository was forked.")],
      ["release", t("Releases"), t("A release was published, edited or deleted.")],
      ["status", t("Commit statuses"), t("A status of a commit was reported.")],
      ["merge_group", t("Merge queue"), t("A merge of a merge queue is tested, or ended.")],
      ["wiki", t("Wiki"), t("A wiki page was created, edited or deleted.")],
      ["repository", t("Repositories"), t("A repository was created, renamed or deleted.")],
      ["package", t("Packages"), t("A package was published or deleted.")],
    ],
  ],
  [
    t("Issues"),
    [
      ["issues", t("Issues"), t("An issue was opened, closed, reopened, edited or deleted.")],
      ["issue_assign", t("Issue assignees"), t("Someone was assigned or unassigned.")],
      ["issue_label", t("Issue labels"), t("Labels were added or removed.")],
      ["issue_milestone", t("Issue milestones"), t("A milestone was set or removed.")],
      ["issue_comment", t("Issue comments"), t("A comment was created, edited or deleted.")],
    ],
  ],
  [
    t("Pull requests"),
    [
      ["pull_request", t("Pull requests"), t("A pull request was opened, closed, reopened, edited or merged.")],
      ["pull_request_assign", t("Pull request assignees"), t("Someone was assigned or unassigned.")],
      ["pull_request_label", t("Pull request labels"), t("Labels were added or removed.")],
      ["pull_request_milestone", t("Pull request milestones"), t("A milestone was set or removed.")],
      ["pull_request_comment", t("Pull request comments"), t("A comment was created, edited or deleted.")],
      ["pull_request_review", t("Reviews"), t("A review was submitted.")],
      ["pull_request_review_request", t("Review requests"), t("A review was requested, or the request was removed.")],
      ["pull_request_sync", t("Pull request synchronization"), t("Commits were pushed to a pull request.")],
    ],
  ],
  [
    t("Actions"),
    [
      ["workflow_run", t("Workflow runs"), t("A workflow run was requested, started or completed.")],
      ["workflow_job", t("Workflow jobs"), t("A workflow job was queued, started or completed.")],
    ],
  ],
  // For organisations alone.
  [t("Organization"), [[AUDIT, t("Audit log"), t("An entry was added to the audit log.")]]],
]

/** The name of the field with the switches of a group: a list in each, which the form puts together. */
const groupField = (index: number): string => `events_${index}`
export const EVENT_FIELDS: readonly string[] = EVENT_GROUPS.map((_, index) => groupField(index))
export const CONFIG_FIELDS = ["config.url", "config.content_type", "config.secret"] as const
export const SLACK_FIELDS = ["config.channel", "config.username", "config.icon_url", "config.color"] as const

const eventFields = (switched: readonly string[], isOfOrganization: boolean): readonly Field[] =>
  EVENT_GROUPS.flatMap(([label, events], index): readonly Field[] =>
    events.some(([name]) => name === AUDIT) && !isOfOrganization
      ? []
      : [
          {
            kind: "boxes",
            name: groupField(index),
            label: t("Events: {label}", { label }),
            value: switched,
            options: events.map(([name, text, about]): Option => [name, text, about]),
          },
        ],
  )

interface About {
  readonly type: string
  readonly isOfSite: boolean
  readonly isOfOrganization: boolean
  /** Undefined for a new one. */
  readonly webhook?: Webhook
}

/** The fields of a webhook. Secrets that are set are never shown: an empty field keeps them, a tick removes them. */
export const webhookFields = ({ type, isOfSite, isOfOrganization, webhook }: About): readonly Field[] => [
  { kind: "line", name: "name", label: t("Name"), hint: t("Optional."), maxlength: 255 },
  { kind: "line", name: "config.url", label: t("Address"), type: "url", required: true, maxlength: 4096, placeholder: "https://" },
  ...(type === "gitea" || type === "gogs" ? signedFields(webhook) : [JSON_CONTENT]),
  ...(type === "slack" ? SLACK : []),
  {
    kind: "line",
    name: "authorization_header",
    label: webhook?.sealed_authorization ? t("New Authorization header") : t("Authorization header"),
    type: "password",
    autocomplete: "off",
    hint: t("Sent with each delivery, such as “Bearer …”. It is never shown again."),
    maxlength: 4096,
  },
  ...kept(webhook?.sealed_authorization, "drop_authorization", t("Remove the Authorization header")),
  {
    kind: "line",
    name: "branch_filter",
    label: t("Branches"),
    hint: t("A glob such as {glob}, for pushes and for branches that are created or deleted. Leave empty for all branches.", {
      glob: "{main,release/*}",
    }),
    maxlength: 1024,
  },
  ...eventFields(webhook ? eventsOf(webhook) : ["push"], isOfOrganization),
  ...(isOfSite && !webhook ? [SYSTEM_BOX] : []),
  { kind: "box", name: "active", label: t("Active"), value: webhook === undefined, hint: t("Send deliveries.") },
]

const kept = (sealed: string | undefined, name: string, label: Text): readonly Field[] =>
  sealed ? [{ kind: "box", name, label, hint: t("Set. Leave empty to keep it.") }] : []

const JSON_CONTENT: Field = { kind: "hidden", name: "config.content_type", value: "json" }

const signedFields = (webhook: Webhook | undefined): readonly Field[] => [
  {
    kind: "menu",
    name: "config.content_type",
    label: t("Content type"),
    options: [
      ["json", "application/json"],
      ["form", "application/x-www-form-urlencoded"],
    ],
  },
  {
    kind: "line",
    name: "config.secret",
    label: webhook?.sealed_secret ? t("New secret") : t("Secret"),
    type: "password",
    autocomplete: "new-password",
    hint: t("Deliveries are signed with it (HMAC-SHA256). It is never shown again."),
    maxlength: 4096,
  },
  ...kept(webhook?.sealed_secret, "drop_secret", t("Remove the secret")),
]

const SLACK: readonly Field[] = [
  { kind: "line", name: "config.channel", label: t("Channel"), required: true, placeholder: "#general", maxlength: 81 },
  { kind: "line", name: "config.username", label: t("Sender name"), maxlength: 255 },
  { kind: "line", name: "config.icon_url", label: t("Sender avatar"), type: "url", maxlength: 2048 },
  { kind: "line", name: "config.color", label: t("Color"), hint: t("Such as #36a64f."), maxlength: 40 },
]

const SYSTEM_BOX: Field = {
  kind: "box",
  name: "is_system_webhook",
  label: t("System webhook"),
  hint: t("Receives the events of every repository. If unticked, it is a default that is copied into new repositories."),
}

export const webhookRow = (each: Webhook, list: string, isOfSite: boolean): Html =>
  html`
    <li>
      ${icon("webhook")}
      <div class="main">
        <h2 class="title">
          <a class="break" href="${list}/${each.id}" dir="auto">${each.name || each.url}</a>
        </h2>
        <p class="meta">
          <span>${typeName(each.type)}</span>
          ${each.name !== "" && html`<span class="break">${each.url}</span>`}
          ${isOfSite && html`<span>${each.is_system === 1 ? t("All repositories") : t("Copied into new repositories")}</span>`}
        </p>
      </div>
      ${webhookState(each)}
    </li>
  `

export const webhookHeader = (webhook: Webhook, list: string, now: number): Html =>
  html`
    <p class="crumbs">
      <a href="${list}">Webhooks</a><span class="sep">/</span>${typeName(webhook.type)}
    </p>
    <div class="bar">
      <h1 class="break" dir="auto">${webhook.name || webhook.url}</h1>
      <div class="end">${webhookState(webhook)}</div>
    </div>
    ${webhookTrouble(webhook, now)}
  `

/** Whether a webhook works, as far as is known. */
const webhookState = ({ is_active, failures }: Pick<Webhook, "is_active" | "failures">): Html =>
  is_active === 0
    ? state("neutral", "circle-slash", t("Disabled"))
    : failures > 0
      ? state("error", "alert", t("Failing"))
      : state("success", "check-circle", t("On"))

/** What keeps a webhook from working; nothing where it works. */
const webhookTrouble = ({ is_active, failures, rests_until }: Webhook, now: number): Html | false =>
  is_active === 1 &&
  failures > 0 &&
  notice(
    "warn",
    html`
      The last ${failures === 1 ? t("delivery") : t("{failures} deliveries", { failures })} failed.${
        rests_until > now && html` Deliveries are paused until ${time(rests_until, now)}; redeliver to resume.`
      }
    `,
  )

const DELIVERY_STATES = {
  waiting: state("running", "clock", t("Waiting")),
  delivered: state("success", "check", t("Delivered")),
  failed: state("error", "x", t("Failed")),
} as const

export const deliveryTable = (at: string, deliveries: readonly DeliverySummary[], now: number): Html =>
  table(
    t("Deliveries"),
    [t("State"), t("Event"), t("Delivery"), { number: t("Attempts") }, t("Created")],
    deliveries.map(
      (each) =>
        html`
          <tr>
            <td class="nowrap">${DELIVERY_STATES[each.state]}</td>
            <td>${each.event}</td>
            <td>
              <a href="${at}/deliveries/${each.id}"><code>${each.uuid.slice(0, 8)}</code></a>
              ${each.error !== "" && html` <span class="muted break">${each.error}</span>`}
            </td>
            <td class="number">${each.attempts}</td>
            <td class="nowrap">${time(each.attempted_at || each.created_at, now)}</td>
          </tr>
        `,
    ),
  )

export const deliveryFacts = (delivery: DeliverySummary, now: number): Html =>
  html`
    <dl class="facts">
      <dt>State</dt>
      <dd>${DELIVERY_STATES[delivery.state]}</dd>
      <dt>Event</dt>
      <dd>${publicName(delivery.event)} (${delivery.event})</dd>
      <dt>ID</dt>
      <dd class="break"><code>${delivery.uuid}</code></dd>
      <dt>Created</dt>
      <dd>${time(delivery.created_at, now)}</dd>
      <dt>Attempts</dt>
      <dd>
        ${delivery.attempts}${delivery.attempted_at > 0 && html`, the last ${time(delivery.attempted_at, now)}`}
        ${delivery.state === "waiting" && html`, the next ${time(delivery.next_attempt_at, now)}`}
      </dd>
      ${
        delivery.error !== "" &&
        html`
          <dt>Error</dt>
          <dd class="break" dir="auto">${delivery.error}</dd>
        `
      }
    </dl>
  `

export const requestView = (request: DeliveryRequest): Html =>
  html`
    <p class="break"><code>${request.method} ${request.url}</code></p>
    ${headersView(t("Request headers"), request.headers)}${bodyView(t("Request body"), request.body)}
  `

export const responseView = (response: DeliveryResponse): Html =>
  html`
    <p>${icon(response.status < 300 ? "check" : "x")} Status ${response.status}</p>
    ${headersView(t("Response headers"), response.headers)}${bodyView(t("Response body"), response.body)}
  `

const headersView = (label: Text, headers: Readonly<Record<string, string>>): Html =>
  html`
    <h3>${label}</h3>
    <div class="scrolls" tabindex="0" role="group" aria-label="${label}">
      <table class="data mono">
        <tbody>
          ${Object.entries(headers).map(
            ([name, value]) => html`
              <tr>
                <th scope="row">${name}</th>
                <td dir="auto">${value}</td>
              </tr>
            `,
          )}
        </tbody>
      </table>
    </div>
  `

const bodyView = (label: Text, body: string): Html =>
  html`
    <h3>${label}</h3>
    ${
      body === ""
        ? html`<p class="muted">It is empty.</p>`
        : html`
          <p class="muted small">${bytes(Buffer.byteLength(body))}</p>
          <pre tabindex="0" aria-label="${label}"><code dir="auto">${indented(body)}</code></pre>
        `
    }
  `

/** What is JSON is shown with its lines, except for what is long. */
function indented(body: string): string {
  if (body.length > 1_000_000) return body
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
