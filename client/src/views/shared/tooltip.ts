/** Shows a tooltip beside the pointer, inside the window. */
export function showTooltip(tooltip: HTMLElement, x: number, y: number, ...content: (Node | string)[]): void {
  tooltip.replaceChildren(...content);
  tooltip.hidden = false;
  const { width, height } = tooltip.getBoundingClientRect();
  const gap = 14;
  const left = x + gap + width > window.innerWidth ? x - gap - width : x + gap;
  const top = y + gap + height > window.innerHeight ? y - gap - height : y + gap;
  tooltip.style.left = `${Math.max(4, left)}px`;
  tooltip.style.top = `${Math.max(4, top)}px`;
}
