import { type Html, html } from "../../../core/html.ts"
import type { Switch } from "../../../features/actions/external/names.ts"
import { publicName } from "../../../features/actions/external/names.ts"
import { eventsOf } from "../../../features/events/webhooks/present.ts"
import type { DeliveryRequest, DeliveryResponse, TYPES } from "../../../features/events/webhooks/records.ts"
import type { DeliverySummary, Webhook } from "../../../features/events/webhooks/store.ts"
import { notice, state, table } from "../../../web/components.ts"
import type { Field, Option } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { bytes, time } from "../../../web/time.ts"

/** The kinds of receivers as people know them. */
export const TYPE_NAMES: Readonly<Record<(typeof TYPES)[number], string>> = {
  gitea: "Any program",
  slack: "Slack",
  discord: "Discord",
  msteams: "Microsoft Teams",
  matrix: "Matrix",
  telegram: "Telegram",
  dingtalk: "DingTalk",
  feishu: "Feishu",
  wechatwork: "WeCom",
  packagist: "Packagist",
  gogs: "Any program that expects Gogs",
}
export const isType = (word: string): word is keyof typeof TYPE_NAMES => Object.hasOwn(TYPE_NAMES, word)
export const typeName = (word: string): string => (isType(word) ? TYPE_NAMES[word] : word)

const EVENT_GROUPS: readonly (readonly [label: string, events: readonly (readonly [Switch, string, string])[]])[] = [
  [
    "Code",
    [
      ["push", "Pushes", "Commits were pushed to a branch or tag."],
      ["create", "Branches and tags made", "A branch or tag was made."],
      ["delete", "Branches and tags deleted", "A branch or tag was deleted."],
      ["fork", "Forks", "The repository was forked."],
      ["release", "Releases", "A release was published, changed or deleted."],
      ["status", "Statuses of commits", "A program reported the status of a commit."],
      ["wiki", "Wiki", "A page of the wiki was made, changed or deleted."],
      ["repository", "Repositories", "A repository was made or deleted."],
      ["package", "Packages", "A package was published or deleted."],
    ],
  ],
  [
    "Issues",
    [
      ["issues", "Issues", "An issue was opened, closed, reopened, edited or deleted."],
      ["issue_assign", "Assignees of issues", "Somebody was assigned or no longer is."],
      ["issue_label", "Labels of issues", "Labels were added or removed."],
      ["issue_milestone", "Milestones of issues", "A milestone was set or removed."],
      ["issue_comment", "Comments on issues", "A comment was written, edited or deleted."],
    ],
  ],
  [
    "Pull requests",
    [
      ["pull_request", "Pull requests", "A pull request was opened, closed, reopened, edited or merged."],
      ["pull_request_assign", "Assignees of pull requests", "Somebody was assigned or no longer is."],
      ["pull_request_label", "Labels of pull requests", "Labels were added or removed."],
      ["pull_request_milestone", "Milestones of pull requests", "A milestone was set or removed."],
      ["pull_request_comment", "Comments on pull requests", "A comment was written, edited or deleted."],
      ["pull_request_review", "Reviews", "A review approved, asked for changes or commented."],
      ["pull_request_review_request", "Requested reviews", "A review was requested or no longer is."],
      ["pull_request_sync", "New commits of pull requests", "Commits were pushed to the head."],
    ],
  ],
  [
    "Actions",
    [
      ["workflow_run", "Runs of workflows", "A run was requested, began or ended."],
      ["workflow_job", "Jobs of workflows", "A job was queued, began or ended."],
    ],
  ],
]

/** The name of the field with the switches of a group: a list in each, which the form puts together. */
const groupField = (index: number): string => `events_${index}`
export const EVENT_FIELDS: readonly string[] = EVENT_GROUPS.map((_, index) => groupField(index))
export const CONFIG_FIELDS = ["config.url", "config.content_type", "config.secret"] as const
export const SLACK_FIELDS = ["config.channel", "config.username", "config.icon_url", "config.color"] as const

const eventFields = (switched: readonly string[]): readonly Field[] =>
  EVENT_GROUPS.map(([label, events], index) => ({
    kind: "boxes",
    name: groupField(index),
    label: `Events: ${label}`,
    value: switched,
    options: events.map(([name, text, about]): Option => [name, text, about]),
  }))

interface About {
  readonly type: string
  readonly isOfSite: boolean
  /** Undefined for a new one. */
  readonly webhook?: Webhook
}

/** The fields of a webhook. Secrets that are set are never shown: an empty field keeps them, a tick removes them. */
export const webhookFields = ({ type, isOfSite, webhook }: About): readonly Field[] => [
  { kind: "line", name: "name", label: "Name", hint: "Optional.", maxlength: 255 },
  { kind: "line", name: "config.url", label: "Address", type: "url", required: true, maxlength: 4096, placeholder: "https://" },
  ...(type === "gitea" || type === "gogs" ? signedFields(webhook) : [JSON_CONTENT]),
  ...(type === "slack" ? SLACK : []),
  {
    kind: "line",
    name: "authorization_header",
    label: webhook?.sealed_authorization ? "New Authorization header" : "Authorization header",
    type: "password",
    autocomplete: "off",
    hint: "Sent with each delivery, such as “Bearer …”. It is never shown again.",
    maxlength: 4096,
  },
  ...kept(webhook?.sealed_authorization, "drop_authorization", "Remove the Authorization header"),
  {
    kind: "line",
    name: "branch_filter",
    label: "Branches",
    hint: "A glob such as {main,release/*}, for pushes and for branches that are created or deleted. Leave empty for all branches.",
    maxlength: 1024,
  },
  ...eventFields(webhook ? eventsOf(webhook) : ["push"]),
  ...(isOfSite && !webhook ? [SYSTEM_BOX] : []),
  { kind: "box", name: "active", label: "Active", value: webhook === undefined, hint: "Send deliveries." },
]

const kept = (sealed: string | undefined, name: string, label: string): readonly Field[] =>
  sealed ? [{ kind: "box", name, label, hint: "One is set. Leave empty to keep it." }] : []

const JSON_CONTENT: Field = { kind: "hidden", name: "config.content_type", value: "json" }

const signedFields = (webhook: Webhook | undefined): readonly Field[] => [
  {
    kind: "menu",
    name: "config.content_type",
    label: "Content type",
    options: [
      ["json", "application/json"],
      ["form", "application/x-www-form-urlencoded"],
    ],
  },
  {
    kind: "line",
    name: "config.secret",
    label: webhook?.sealed_secret ? "New secret" : "Secret",
    type: "password",
    autocomplete: "new-password",
    hint: "Each delivery is signed with it (HMAC-SHA256), so that the receiver knows that it comes from here. It is never shown again.",
    maxlength: 4096,
  },
  ...kept(webhook?.sealed_secret, "drop_secret", "Remove the secret"),
]

const SLACK: readonly Field[] = [
  { kind: "line", name: "config.channel", label: "Channel", required: true, placeholder: "#general", maxlength: 81 },
  { kind: "line", name: "config.username", label: "Name of the sender", maxlength: 255 },
  { kind: "line", name: "config.icon_url", label: "Avatar of the sender", type: "url", maxlength: 2048 },
  { kind: "line", name: "config.color", label: "Colour", hint: "Such as #36a64f.", maxlength: 40 },
]

const SYSTEM_BOX: Field = {
  kind: "box",
  name: "is_system_webhook",
  label: "System webhook",
  hint: "Receives the events of every repository. If unticked, it is a default that is copied into new repositories.",
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
          ${isOfSite && html`<span>${each.is_system === 1 ? "Told of every repository" : "Copied into new repositories"}</span>`}
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
    ? state("neutral", "circle-slash", "Switched off")
    : failures > 0
      ? state("error", "alert", "Failing")
      : state("success", "check-circle", "On")

/** What keeps a webhook from working; nothing where it works. */
const webhookTrouble = ({ is_active, failures, rests_until }: Webhook, now: number): Html | false =>
  is_active === 1 &&
  failures > 0 &&
  notice(
    "warn",
    html`
      The last ${failures === 1 ? "delivery" : `${failures} deliveries`} failed.${
        rests_until > now && html` Nothing is sent before ${time(rests_until, now)}; redelivering ends that.`
      }
    `,
  )

const DELIVERY_STATES = {
  waiting: state("running", "clock", "Waiting"),
  delivered: state("success", "check", "Delivered"),
  failed: state("error", "x", "Failed"),
} as const

export const deliveryTable = (at: string, deliveries: readonly DeliverySummary[], now: number): Html =>
  table(
    "Deliveries",
    ["State", "Event", "Delivery", { number: "Attempts" }, "When"],
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
      <dt>Id</dt>
      <dd class="break"><code>${delivery.uuid}</code></dd>
      <dt>Made</dt>
      <dd>${time(delivery.created_at, now)}</dd>
      <dt>Attempts</dt>
      <dd>
        ${delivery.attempts}${delivery.attempted_at > 0 && html`, the last ${time(delivery.attempted_at, now)}`}
        ${delivery.state === "waiting" && html`, the next ${time(delivery.next_attempt_at, now)}`}
      </dd>
      ${
        delivery.error !== "" &&
        html`
          <dt>Why it failed</dt>
          <dd class="break" dir="auto">${delivery.error}</dd>
        `
      }
    </dl>
  `

export const requestView = (request: DeliveryRequest): Html =>
  html`
    <p class="break"><code>${request.method} ${request.url}</code></p>
    ${headersView("Headers of the request", request.headers)}${bodyView("Body of the request", request.body)}
  `

export const responseView = (response: DeliveryResponse): Html =>
  html`
    <p>${icon(response.status < 300 ? "check" : "x")} Status ${response.status}</p>
    ${headersView("Headers of the answer", response.headers)}${bodyView("Body of the answer", response.body)}
  `

const headersView = (label: string, headers: Readonly<Record<string, string>>): Html =>
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

const bodyView = (label: string, body: string): Html =>
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
