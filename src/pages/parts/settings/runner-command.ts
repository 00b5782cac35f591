import { type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { withQuery } from "../../../web/address.ts"
import { choices, copyButton } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"

/** What is typed on a machine to make it a runner: whole, to be copied. */

export const RUN_MODES = ["host", "container"] as const
export type RunMode = (typeof RUN_MODES)[number]

const MODES: Readonly<Record<RunMode, { readonly text: Text; readonly hint: Text }>> = {
  host: {
    text: t("On the machine itself"),
    hint: t("Jobs run with everything that is installed there, and may do all that the user of the runner may. Nothing else is needed."),
  },
  container: {
    text: t("In containers"),
    hint: t("Each job runs in a fresh container. The machine needs Docker. Most workflows from GitHub expect this."),
  },
}

/** The version that Hearth is tested with, see docs/actions.md. */
const VERSION = "1.0.8"
const FILES = `https://dl.gitea.com/gitea-runner/${VERSION}/`
const IMAGE = "docker://node:24-bookworm"

/** Labels as workflows name them, from an address; what no label can be is left out. */
export const labelsIn = (text: string | undefined): readonly string[] => {
  const names = (text ?? "").split(",").map((name) => name.trim())
  const possible = names.filter((name) => /^[\w.-]{1,64}$/.test(name))
  return possible.length > 0 ? [...new Set(possible)].slice(0, 8) : ["ubuntu-latest"]
}

interface Registered {
  readonly instance: string
  readonly token: string
  readonly mode: RunMode
  readonly labels: readonly string[]
}

/** Downloads the runner, registers it and starts it. */
export function runnerCommand({ instance, token, mode, labels }: Registered): string {
  const all = labels.map((name) => `${name}:${mode === "host" ? "host" : IMAGE}`).join(",")
  return [
    `curl -fL -o gitea-runner https://dl.gitea.com/gitea-runner/${VERSION}/gitea-runner-${VERSION}-linux-amd64`,
    "chmod +x gitea-runner",
    `./gitea-runner register --no-interactive --instance ${instance} --token ${token} --labels ${all}`,
    "./gitea-runner daemon",
  ].join("\n")
}

/** The choice of where jobs run, as links. */
export const modeChoice = (url: string, mode: RunMode): Html =>
  html`
    ${choices(
      t("Where jobs run"),
      RUN_MODES.map((each) => ({
        href: `${withQuery(url, { mode: each === "host" ? undefined : each })}#register`,
        text: MODES[each].text,
        current: each === mode,
      })),
    )}
    <p class="muted small">${MODES[mode].hint}</p>
  `

/** The command, with a button that copies it. */
export const commandView = (command: string): Html =>
  html`
    <div class="prose">
      <pre class="wrapped" tabindex="0" aria-label="The commands"><code>${command}</code></pre>
    </div>
    <p>
      ${copyButton(command, html`${icon("copy")} Copy the commands`, "primary")}
    </p>
    <p class="muted small">
      For another system than Linux on x86-64, <a class="in-text" href="${FILES}" rel="noopener">choose its file</a> and keep
      the rest. The runner calls this server: it needs no open port.
    </p>
  `
