export const metadata = { title: 'Loja', icons: 'data:,' };

export default function Layout({ children }) {
  return (
    <html lang="pt-BR">
      <head>
        <link rel="stylesheet" href="/pix/assets/pix-checkout.css" />
      </head>
      <body>{children}</body>
    </html>
  );
}
