import { signedIn } from "../../access/policies/site.ts"
import { html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { moved, type Page, page } from "../../core/page.ts"
import { SECOND_FACTOR_PATH } from "../../features/people/sign-in/authenticate.ts"
import type { Requirement } from "../../features/people/sign-in/second-factor/required.ts"
import { ownPath } from "../../web/address.ts"
import { notice } from "../../web/components.ts"
import { icon } from "../../web/icon.ts"
import { stepPage } from "../../web/sign-in.ts"
import { time } from "../../web/time.ts"
import { text } from "../parts/sign-in/steps.ts"
import { ENROLL, NEW_PASSKEY } from "./settings/security-view.ts"

/** Where a person is led who needs a second factor and has none: until when, for whom, and how to set one up. */
export const secondFactorPages: readonly Page[] = [
  page({
    id: "signIn.secondFactor",
    address: `GET ${SECOND_FACTOR_PATH}`,
    access: signedIn,
    query: { redirect_to: text },
    changesWithTime: true,
    withoutFactor: true,
    answer: async ({ services, me, query: { redirect_to = "" } }) => {
      const target = ownPath(redirect_to)
      const { requirementsOn } = await import("../../features/people/sign-in/second-factor/required.ts")
      const requirements = await requirementsOn(services, me)
      if (requirements.length === 0) return moved(target)
      const now = services.now()
      const isLocked = requirements.some(({ organization, dueAt }) => organization === undefined && dueAt <= now)
      return stepPage(
        t("Set up two-factor authentication"),
        html`
          ${isLocked && notice("bad", t("Set it up now to go on: until then you can do nothing else."))}
          <ul>${requirements.map((each) => html`<li>${sentence(each, now)}</li>`)}</ul>
          <p>
            Beside your password you then need a code of an app on your phone, or a passkey on your device or on a security key.
          </p>
          <p class="bar">
            <a class="button primary" href="${ENROLL}">${icon("shield-check")} Set up an authenticator app</a>
            <a class="button" href="${NEW_PASSKEY}">${icon("key")} Add a passkey</a>
          </p>
          ${!isLocked && html`<p><a href="${target}">Later</a></p>`}
        `,
      )
    },
  }),
]

function sentence({ organization, dueAt }: Requirement, now: number) {
  if (organization === undefined)
    return dueAt <= now
      ? html`This site requires it. The time to set it up ended ${time(dueAt, now)}.`
      : html`This site requires it. The time to set it up ends ${time(dueAt, now)}.`
  return dueAt <= now
    ? html`The organization <bdi>${organization}</bdi> requires it: until you set it up, you have no access to what belongs to it.`
    : html`The organization <bdi>${organization}</bdi> requires it. The time to set it up ends ${time(dueAt, now)}.`
}
