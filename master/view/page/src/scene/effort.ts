// How much is spent on a picture.

/** By how long pictures take, or as the address of the page asks. */
export type Effort = "auto" | "high" | "low";

export function askedEffort(): Effort {
  const asked = new URLSearchParams(location.search).get("quality");
  return asked === "high" || asked === "low" ? asked : "auto";
}

/** Fewer triangles, no gloss: what is drawn without a graphics card, or where little is asked for. */
export function isModest(effort: Effort): boolean {
  return effort === "low" || (effort === "auto" && isSoftware());
}

/** Without a graphics card every triangle and every pixel is paid for by the processor. */
function isSoftware(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = gl && info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}
