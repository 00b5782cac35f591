import { t } from "./words.ts"

const controller = { current: new AbortController() }

const fieldOf = (form: HTMLFormElement, name: string): HTMLInputElement | null =>
  form.querySelector<HTMLInputElement>(`input[name="${name}"], input[name="sign_in_${name}"]`)

async function ask(form: HTMLFormElement, mediation?: CredentialMediationRequirement): Promise<void> {
  // A browser answers one request at a time: the one that waits beside the fields ends.
  controller.current.abort()
  controller.current = new AbortController()
  const { signal } = controller.current
  const options = JSON.parse(form.dataset["options"] ?? "{}")
  const answer =
    form.dataset["passkey"] === "create"
      ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options), signal })
      : await navigator.credentials.get({
          publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
          signal,
          ...(mediation ? { mediation } : {}),
        })
  const field = fieldOf(form, "credential")
  if (!(answer instanceof PublicKeyCredential) || !field) return
  field.value = JSON.stringify(answer.toJSON())
  const remember = fieldOf(form, "remember")
  const wish = document.querySelector<HTMLInputElement>('input[type="checkbox"][name="remember"]')
  if (remember && wish) remember.value = wish.checked ? "on" : ""
  form.submit()
}

function tell(form: HTMLFormElement, error: unknown): void {
  const place = form.querySelector<HTMLElement>("[role=alert]")
  if (!place || (error instanceof DOMException && error.name === "AbortError")) return
  place.hidden = false
  place.textContent =
    error instanceof DOMException && error.name === "InvalidStateError"
      ? t("This device already has a passkey for this account.")
      : t("No passkey was used. Try again, or sign in another way.")
}

const isThere = typeof PublicKeyCredential === "function" && typeof PublicKeyCredential.parseRequestOptionsFromJSON === "function"

for (const form of isThere ? document.querySelectorAll<HTMLFormElement>("form[data-passkey]") : []) {
  form.hidden = false
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    ask(form).catch((error: unknown) => tell(form, error))
  })
}

/** Passkeys among what the browser offers for the field of the name. */
async function offerBesideName(): Promise<void> {
  const form = document.querySelector<HTMLFormElement>('form[data-passkey="get"]')
  const isOffered = document.querySelector('input[autocomplete~="webauthn"]') !== null
  if (form && isOffered && (await PublicKeyCredential.isConditionalMediationAvailable())) await ask(form, "conditional")
}

if (isThere) offerBesideName().catch(() => undefined)
