// Choices as lists, where their buttons would take too much room.

const LITTLE = 480; // px: as in `player.css`

// It hangs on the room alone, not on where the dials stand: what is clicked stays what it is.
export function foldChoices(controls, room) {
  const most = room > LITTLE ? room : room / 2;
  for (const { element, fold } of controls) {
    if (!fold || !element.offsetWidth) continue;
    fold(false);
    const buttons = [...element.querySelectorAll("label")];
    fold(buttons.reduce((sum, { offsetWidth }) => sum + offsetWidth, 0) > most);
  }
}
