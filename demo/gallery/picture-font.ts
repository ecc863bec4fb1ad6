/** The one font of the pictures: those of a machine differ. A development dependency, never in the package. */

const folder = '/node_modules/@fontsource/inter/files';

/** Text, and the code: the names by which the element's styles ask for a monospaced font are taken. */
const families = ['Inter', 'ui-monospace', 'Menlo'];

/** Resolves when every weight is there. */
export async function loadPictureFont(): Promise<void> {
  const faces = families.flatMap((family) =>
    ['400', '600', '700'].map(
      (weight) =>
        new FontFace(family, `url(${folder}/inter-latin-${weight}-normal.woff2)`, { weight }),
    ),
  );
  await Promise.all(faces.map((face) => face.load()));
  for (const face of faces) document.fonts.add(face);
}
